#include "ratio.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENGINES = 8, STEPS = 128, STEPS_AN_OCTAVE = 8 };

const char *const fuzz_part_names[FUZZ_PARTS] = {"output", "weight", "sum", "lse"};

static struct {
  const char *engine;
  double most[FUZZ_PARTS];
} seen[ENGINES];

/* One counter for each step of the logarithm of a ratio; a new one is a new feature. The engines have
   nearly always the same bits, so they share them. */
#ifdef FUZZ_COUNTERS
__attribute__((section("__libfuzzer_extra_counters")))
#endif
static uint8_t counters[FUZZ_PARTS * STEPS];

static void count(int part, double ratio) {
  const double octaves = STEPS / STEPS_AN_OCTAVE;
  if (!(ratio > exp2(-octaves))) return;
  const int step = (int)((log2(ratio) + octaves) * STEPS_AN_OCTAVE);
  counters[part * STEPS + (step < STEPS ? step : STEPS - 1)] = 1;
}

static void print(void) {
  for (int e = 0; e < ENGINES && seen[e].engine; e++)
    for (int part = 0; part < FUZZ_PARTS; part++)
      if (seen[e].most[part] > 0)
        fprintf(stderr, "ratio %s %s %.4f\n", seen[e].engine, fuzz_part_names[part],
                seen[e].most[part]);
}

void fuzz_ratio(const char *engine, int part, double error, double allowed) {
  const double ratio = allowed > 0 && allowed < INFINITY ? error / allowed : 0;
  int e = 0;
  if (!seen[0].engine) atexit(print);
  while (seen[e].engine && strcmp(seen[e].engine, engine) != 0) e++;
  seen[e].engine = engine;
  if (ratio > seen[e].most[part]) seen[e].most[part] = ratio;
  count(part, ratio);
}
