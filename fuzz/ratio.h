/* How much of a bound has been used, engine by engine: a bound that is never neared is slack, or its
   target does not look hard. A larger share than before counts as new coverage for libFuzzer, so that
   it climbs; the largest are printed when the program ends. */
#ifndef FUZZ_RATIO_H
#define FUZZ_RATIO_H

/* engine, part: names that stay. error / allowed; nothing where nothing is allowed, or anything. */
void fuzz_ratio(const char *engine, const char *part, double error, double allowed);

#endif
