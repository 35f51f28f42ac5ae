/* How much of a bound has been used, engine by engine: a bound that is never neared is slack, or its
   target does not look hard. A larger share than before counts as new coverage for libFuzzer, so that
   it climbs; the largest are printed when the program ends. */
#ifndef FUZZ_RATIO_H
#define FUZZ_RATIO_H

enum { FUZZ_OUTPUT, FUZZ_WEIGHT, FUZZ_SUM, FUZZ_LSE, FUZZ_PARTS };

extern const char *const fuzz_part_names[FUZZ_PARTS];

/* engine: a name that stays; few of them. error / allowed, 0 where allowed is 0. */
void fuzz_ratio(const char *engine, int part, double error, double allowed);

#endif
