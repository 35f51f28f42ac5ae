/* A read one element behind an array: Eva must give an alarm. */
static int row[3];
static volatile int any;

int main(void) {
  int sum = 0;
  for (int n = 0; n <= 3; n++) sum = row[n] + any % 2;
  return sum;
}
