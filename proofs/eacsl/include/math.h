/* The mathematical functions of the tests, without Frama-C's contracts, which E-ACSL cannot translate. */
#ifndef EACSL_MATH_H
#define EACSL_MATH_H

#define INFINITY ((float)1e300) /* of use in constants, as __builtin_inff() is not in Frama-C */
#define NAN __builtin_nanf("")

double exp(double x);
double fabs(double x);
double floor(double x);
double log(double x);
double log2(double x);
double rint(double x);
double sqrt(double x);
double tanh(double x);
long double exp2l(long double x);
long double expl(long double x);
long double fabsl(long double x);
long double logl(long double x);
long double rintl(long double x);
long double sqrtl(long double x);
long double tanhl(long double x);

#endif
