/* Arduino's Serial, as far as the example uses it. */
#include <stdint.h>

struct serial {
  void begin(long) {}
  void print(double, int) {}
  void print(char) {}
};
static serial Serial;
