/* Clauses for proofs alone, about values in exact arithmetic. In the pass `exact` of proofs/run a float is a
   real number and ATTEST_EXACT is defined; everywhere else ATTEST_EXACTLY(...) in an annotation is
   nothing, and this file is empty. */
#ifndef ATTEST_EXACT_H
#define ATTEST_EXACT_H

#ifdef ATTEST_EXACT
#include "../proofs/acsl/numbers.h"
#define ATTEST_EXACTLY(...) __VA_ARGS__
#else
#define ATTEST_EXACTLY(...)
#endif

#endif
