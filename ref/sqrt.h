/* The square root, the only function of libm in ref/: IEEE 754 rounds it exactly, so it is the same
   double everywhere. Frama-C's own contract lets it write errno, which a positive argument never
   does; the contract here is trusted in its place (proofs/README.md). */
#ifndef ATTEST_SQRT_H
#define ATTEST_SQRT_H

#ifdef __FRAMAC__
/*@ requires x >= 0;
    terminates \true;
    assigns \nothing; */
extern double attest_sqrt(double x);
#else
#include <math.h>
#define attest_sqrt sqrt
#endif

#endif
