/* How much fits: fit RAM STACK prints, for RAM bytes of which STACK are the stack's, the largest
   number of keys T at widths 8, 16 and 64, with
     whole     q, k, v and outputs of T rows, tiles of 8 keys
     decode    a cache of T keys and values, one token's rows, tiles of 8 keys
   or - where not even one fits; and the largest width of a stream. Variables of the program itself
   are not counted. */
#include <stdio.h>
#include <stdlib.h>

#include "attest_q16.h"

enum { TILE = 8, ELEMENT = 4 };

static void print_keys(long keys) {
  if (keys < 1)
    printf(" -");
  else
    printf(" %ld", keys < (long)ATTEST_Q16_MAX_KEYS ? keys : (long)ATTEST_Q16_MAX_KEYS);
}

int main(int argc, char **argv) {
  static const long widths[] = {8, 16, 64};
  if (argc != 3) {
    fprintf(stderr, "usage: fit RAM STACK\n");
    return 2;
  }
  const long left = atol(argv[1]) - atol(argv[2]);
  printf("whole");
  for (int i = 0; i < 3; i++) {
    const long scratch = 8 * (long)ATTEST_Q16_TILED_SCRATCH(TILE, widths[i]);
    print_keys((left - scratch) / (4 * widths[i] * ELEMENT));
  }
  printf(" decode");
  for (int i = 0; i < 3; i++) {
    const long scratch = 8 * (long)ATTEST_Q16_TILED_SCRATCH(TILE, widths[i]);
    print_keys((left - scratch - 4 * widths[i] * ELEMENT) / (2 * widths[i] * ELEMENT));
  }
  /* q, k, v, an output and the columns */
  const long width = (left - (long)sizeof(attest_q16_stream)) /
                     (4 * ELEMENT + (long)sizeof(attest_q16_column));
  printf(" stream");
  print_keys(width < (long)ATTEST_Q16_MAX_WIDTH ? width : (long)ATTEST_Q16_MAX_WIDTH);
  printf("\n");
  return 0;
}
