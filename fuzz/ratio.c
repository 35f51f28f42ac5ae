#include "ratio.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 24, STEPS = 128, STEPS_AN_OCTAVE = 8, OCTAVES = STEPS / STEPS_AN_OCTAVE };

static struct {
  const char *engine, *part;
  double most;
} seen[PAIRS];

/* For each part a counter for each step of the logarithm of a ratio; a new one is a new feature.
   Engines share them: they nearly always have the same bits. */
#ifdef FUZZ_COUNTERS
__attribute__((section("__libfuzzer_extra_counters")))
#endif
static uint8_t counters[PAIRS * STEPS];

static void print(void) {
  for (int n = 0; n < PAIRS && seen[n].engine; n++)
    fprintf(stderr, "ratio %s %s %.4f\n", seen[n].engine, seen[n].part, seen[n].most);
}

void fuzz_ratio(const char *engine, const char *part, double error, double allowed) {
  const double ratio = error / allowed;
  int n = 0, first = 0;
  if (!(allowed > 0 && allowed < INFINITY)) return;
  if (!seen[0].engine) atexit(print);
  while (n < PAIRS - 1 && seen[n].engine &&
         (strcmp(seen[n].engine, engine) != 0 || strcmp(seen[n].part, part) != 0))
    n++;
  seen[n].engine = engine;
  seen[n].part = part;
  if (ratio > seen[n].most) seen[n].most = ratio;
  while (strcmp(seen[first].part, part) != 0) first++;
  if (ratio > exp2(-OCTAVES)) {
    const int step = (int)((log2(ratio) + OCTAVES) * STEPS_AN_OCTAVE);
    counters[first * STEPS + (step < STEPS ? step : STEPS - 1)] = 1;
  }
}
