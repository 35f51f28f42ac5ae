/* The options of a problem and of an engine, as text on the command line. */
#ifndef ATTEST_OPTIONS_H
#define ATTEST_OPTIONS_H

#include "cli.h"

/* --causal without a value asks for the alignment that fits the other options. */
typedef enum attest_causal {
  ATTEST_CAUSAL_NONE,
  ATTEST_CAUSAL_PLAIN,
  ATTEST_CAUSAL_TOP_LEFT,
  ATTEST_CAUSAL_BOTTOM_RIGHT,
  ATTEST_CAUSAL_OFFSET
} attest_causal;

typedef struct attest_options {
  const char *q, *k, *v, *past_k, *past_v, *kv_len, *mask; /* files; NULL: not given */

  attest_causal causal;
  int64_t offset; /* of ATTEST_CAUSAL_OFFSET */
  int window;
  int64_t left, right;
  int scale_given;
  double scale, softcap;
  size_t heads, kv_heads; /* 0: not given */
  int bf16;

  attest_engine engine; /* ATTEST_TILED includes the decode nest for few query rows */
  int oracle;           /* not an engine of ref/: inputs as they are, results rounded once */
  int q16;              /* nor this: fixed/, integers in Q16.16 */
  size_t tile;
  int dtype_given;
  attest_dtype dtype; /* ATTEST_DT_I32: Q16.16 */

  uint32_t seen; /* a bit for each option that may be given once */
} attest_options;

enum {
  ATTEST_OPT_HELP = 'h',
  ATTEST_OPT_CAUSAL = 256,
  ATTEST_OPT_WINDOW,
  ATTEST_OPT_SCALE,
  ATTEST_OPT_SOFTCAP,
  ATTEST_OPT_HEADS,
  ATTEST_OPT_KV_HEADS,
  ATTEST_OPT_BF16,
  ATTEST_OPT_KV_LEN,
  ATTEST_OPT_MASK,
  ATTEST_OPT_PAST_K,
  ATTEST_OPT_PAST_V,
  ATTEST_OPT_ENGINE,
  ATTEST_OPT_TILE,
  ATTEST_OPT_DTYPE,
  ATTEST_OPT_BYTE_ORDER,
  ATTEST_OPT_ORDER,
  ATTEST_OPT_OWN /* the first number free for a subcommand */
};

/* Entries for a table of struct option. */
#define ATTEST_SCORE_OPTIONS                                     \
  {"causal", optional_argument, NULL, ATTEST_OPT_CAUSAL},        \
      {"window", required_argument, NULL, ATTEST_OPT_WINDOW},    \
      {"scale", required_argument, NULL, ATTEST_OPT_SCALE},      \
      {"softcap", required_argument, NULL, ATTEST_OPT_SOFTCAP},  \
      {"heads", required_argument, NULL, ATTEST_OPT_HEADS},      \
      {"kv-heads", required_argument, NULL, ATTEST_OPT_KV_HEADS}, \
      {"bf16", no_argument, NULL, ATTEST_OPT_BF16}
#define ATTEST_PROBLEM_OPTIONS                                   \
  ATTEST_SCORE_OPTIONS, {"kv-len", required_argument, NULL, ATTEST_OPT_KV_LEN}, \
      {"mask", required_argument, NULL, ATTEST_OPT_MASK},        \
      {"past-k", required_argument, NULL, ATTEST_OPT_PAST_K},    \
      {"past-v", required_argument, NULL, ATTEST_OPT_PAST_V}
#define ATTEST_ENGINE_OPTIONS                                    \
  {"engine", required_argument, NULL, ATTEST_OPT_ENGINE},        \
      {"tile", required_argument, NULL, ATTEST_OPT_TILE},        \
      {"dtype", required_argument, NULL, ATTEST_OPT_DTYPE}

/* Their part of a help text. */
#define ATTEST_SCORE_HELP                                                          \
  "  --causal[=A]    row i sees keys up to i + offset; A is top-left (offset 0),\n"     \
  "                  bottom-right (offset keys - queries) or the offset itself\n"       \
  "  --window L,R    row i sees keys from i + offset - L to i + offset + R; -1\n"       \
  "                  leaves that side open\n"                                           \
  "  --scale X       instead of 1/sqrt(width); decimal or hexadecimal (0x1.8p-2)\n"     \
  "  --softcap X     scores become X * tanh(score / X), before any mask\n"
#define ATTEST_ENGINE_HELP                                                              \
  "  --engine E      tiled (the default) or naive: the same bits but where numbers\n"  \
  "                  come near the ends of the format's range. tiled takes the decode\n" \
  "                  nest for at most 4 query rows. attest run also has oracle: inputs\n" \
  "                  exactly as stored, every result correctly rounded; and q16: in\n"  \
  "                  integers, float inputs rounded to Q16.16, int32 taken as such\n"   \
  "  --tile N        keys in one tile of the tiled engine, 1 to 65536 (128)\n"           \
  "  --dtype T       format of the output: f64, f32, f16 or bf16; q16 (int32, Q16.16)\n"   \
  "                  with the oracle, and always with q16. naive and tiled work in f64 for f64 and\n" \
  "                  in f32 otherwise: inputs are rounded to it once, and the result\n" \
  "                  once more for f16 and bf16.\n"

/* Defaults. */
void attest_options_start(attest_options *options);

/* attest_spare against every input file of a problem. */
int attest_options_spare(const attest_options *options, const char *output, attest_fault *fault);

/* Takes option `id` with its value (NULL: none). Returns 0, or -1 with *fault set, also where the
   option is given twice or is not one of the above. */
int attest_options_take(attest_options *options, int id, const char *value, attest_fault *fault);

#endif
