/* That what exact.h and rounding.h assume exists. The axioms of attest_two_to, each proved of
   exp((x - m) log 2) from Why3's exp and log: all but the first hold for any l in place of log 2, which is
   what the provers take. Then those of attest_nearest, proved of floor(y + 1/2). No code. */
#ifndef ATTEST_PROOFS_POWER_H
#define ATTEST_PROOFS_POWER_H

/*@ type attest_power_number = real;

    lemma attest_power_one: \exp((1.0 - 0.0) * \log(2.0)) == 2.0;
    lemma attest_power_same: \forall attest_power_number x, l; \exp((x - x) * l) == 1.0;
    lemma attest_power_positive: \forall attest_power_number x, m, l; 0.0 < \exp((x - m) * l);
    lemma attest_power_chain: \forall attest_power_number x, m, n, l;
      \exp((x - m) * l) * \exp((m - n) * l) == \exp((x - n) * l);
    lemma attest_power_difference: \forall attest_power_number x, m, l;
      \exp(((x - m) - 0.0) * l) == \exp((x - m) * l);

    lemma attest_floor_whole: \forall attest_power_number y;
      \let n = \floor(y + 0.5); \floor((attest_power_number)n) == n;
    lemma attest_floor_close: \forall attest_power_number y;
      \let n = \floor(y + 0.5); -0.5 <= y - n <= 0.5;
*/

#endif
