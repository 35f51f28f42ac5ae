// Four keys come one at a time, as from a sensor; the query asks for those like itself. Nothing is
// kept but a sum for each value, so this fits the smallest boards.
#include <attest_q16.h>

static const uint32_t WIDTH = 2;
static const int32_t ONE = 65536;  // 1 in Q16.16

void setup() {
  Serial.begin(9600);
  const int32_t query[WIDTH] = {2 * ONE, 0};
  const int32_t keys[4][WIDTH] = {{ONE, 0}, {0, ONE}, {-ONE, 0}, {ONE, ONE}};
  const int32_t values[4][WIDTH] = {{ONE, 0}, {0, ONE}, {5 * ONE, 5 * ONE}, {ONE, ONE / 2}};

  attest_q16_stream stream;
  attest_q16_column columns[WIDTH];
  const attest_q16_scale scale = attest_q16_default_scale(WIDTH);
  attest_q16_stream_start(&stream, columns, WIDTH);
  for (int key = 0; key < 4; key++) {
    attest_q16_stream_add(&stream, columns, query, keys[key], WIDTH, values[key], WIDTH, scale);
    int32_t out[WIDTH];
    attest_q16_stream_output(&stream, columns, WIDTH, out);
    for (uint32_t c = 0; c < WIDTH; c++) {
      Serial.print(out[c] / 65536.0, 5);
      Serial.print(c + 1 < WIDTH ? ' ' : '\n');
    }
  }
}

void loop() {}
