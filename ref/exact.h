/* Clauses for proofs alone, about values in exact arithmetic. In the pass `exact` of proofs/run a float is a
   real number, ATTEST_EXACT is defined and ATTEST_EXACTLY(...) in an annotation is what it holds. Everywhere
   else it is nothing, and ATTEST_ELSEWHERE(...) is what that holds. */
#ifndef ATTEST_EXACT_H
#define ATTEST_EXACT_H

#ifdef ATTEST_EXACT
#include "../proofs/acsl/numbers.h"
#define ATTEST_EXACTLY(...) __VA_ARGS__
#define ATTEST_ELSEWHERE(...)
#else
#define ATTEST_EXACTLY(...)
#define ATTEST_ELSEWHERE(...) __VA_ARGS__
#endif

#endif
