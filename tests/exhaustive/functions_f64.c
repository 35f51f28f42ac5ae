/* The functions under test, double. */
#define ATTEST_F64
#include "functions_f32.c"
