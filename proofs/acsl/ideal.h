/* What the pass `exact` of proofs/run believes about a few functions of ref/ instead of proving it: that they
   compute in the reals what their floats come close to. Nothing else in that pass is believed; no other
   pass sees this file. How far the floats are off is derived in proofs/functions.md. No code. */
#ifndef ATTEST_PROOFS_IDEAL_H
#define ATTEST_PROOFS_IDEAL_H

#include <math.h>

#include "rounding.h"

/*@ // some function: which does not matter
    axiomatic attest_hyperbolic {
      logic attest_number attest_tanh_of(attest_number x) reads \nothing;
    }
*/

/* The reals have no infinity. A number that no score reaches stands for it; any would do. */
/*@ assigns \nothing;
    ensures \result == 1.0e40; */
real attest_far(void);

/* Nor a NaN: any number. */
/*@ assigns \nothing; */
real attest_nonsense(void);

#undef INFINITY
#undef NAN
#define INFINITY attest_far()
#define NAN attest_nonsense()

/*@ assigns \nothing;
    ensures ideal: \result == attest_nearest(y); */
static inline real attest_round(real y);

/*@ assigns \nothing;
    ensures ideal: -0.5 <= f <= 0.5 ==> \result == attest_two_to(f, 0.0); */
static inline real attest_exp2_fraction(real f);

/*@ assigns \nothing;
    ensures ideal: attest_whole(e) && e <= 0.0 ==> \result == attest_two_to(e, 0.0); */
static inline real attest_pow2_down(real e);

/*@ assigns \nothing;
    ensures ideal: attest_whole(e) && e <= 0.0 ==> \result == attest_two_to(e, 0.0); */
static inline real attest_pow2(real e);

/*@ assigns \nothing;
    ensures ideal: \result == attest_tanh_of(x); */
static inline real attest_tanh(real x);

#endif
