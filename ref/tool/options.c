#define _POSIX_C_SOURCE 200809L

#include "options.h"

#include <string.h>

/* Offsets and windows stay far enough below ATTEST_MAX_REACH for a row number to be added. */
enum { REACH = 1000000000 };

void attest_options_start(attest_options *options) {
  memset(options, 0, sizeof *options);
  options->engine = ATTEST_TILED;
  options->tile = ATTEST_DEFAULT_TILE;
}

static int take_causal(attest_options *options, const char *value, attest_fault *fault) {
  if (value == NULL) {
    options->causal = ATTEST_CAUSAL_PLAIN;
    return 0;
  }
  if (strcmp(value, "top-left") == 0) {
    options->causal = ATTEST_CAUSAL_TOP_LEFT;
    return 0;
  }
  if (strcmp(value, "bottom-right") == 0) {
    options->causal = ATTEST_CAUSAL_BOTTOM_RIGHT;
    return 0;
  }
  options->causal = ATTEST_CAUSAL_OFFSET;
  if (attest_parse_integer("--causal", value, -REACH, REACH, &options->offset, fault) != 0)
    return ATTEST_FAIL(fault,
                       "--causal: '%s' is not top-left, bottom-right or an offset from %d to %d",
                       value, -REACH, REACH);
  return 0;
}

static int take_window(attest_options *options, const char *value, attest_fault *fault) {
  char left[32];
  const char *comma = strchr(value, ',');
  const size_t length = comma == NULL ? sizeof left : (size_t)(comma - value);

  options->window = 1;
  if (length >= sizeof left)
    return ATTEST_FAIL(fault, "--window: '%s' is not of the form L,R", value);
  memcpy(left, value, length);
  left[length] = '\0';
  if (attest_parse_integer("--window", left, -1, REACH, &options->left, fault) != 0)
    return -1;
  return attest_parse_integer("--window", comma + 1, -1, REACH, &options->right, fault);
}

static int take_engine(attest_options *options, const char *value, attest_fault *fault) {
  if (strcmp(value, "naive") == 0)
    options->engine = ATTEST_NAIVE;
  else if (strcmp(value, "tiled") == 0)
    options->engine = ATTEST_TILED;
  else if (strcmp(value, "oracle") == 0)
    options->oracle = 1;
  else if (strcmp(value, "q16") == 0)
    options->q16 = 1;
  else
    return ATTEST_FAIL(fault, "--engine: '%s' is not naive, tiled, oracle or q16", value);
  return 0;
}

static int take_dtype(attest_options *options, const char *value, attest_fault *fault) {
  static const attest_dtype known[] = {ATTEST_DT_F64, ATTEST_DT_F32, ATTEST_DT_F16,
                                       ATTEST_DT_BF16};

  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(value, attest_dtype_name(known[i])) == 0) {
      options->dtype_given = 1;
      options->dtype = known[i];
      return 0;
    }
  if (strcmp(value, "q16") == 0) {
    options->dtype_given = 1;
    options->dtype = ATTEST_DT_I32;
    return 0;
  }
  return ATTEST_FAIL(fault, "--dtype: '%s' is not f64, f32, f16, bf16 or q16", value);
}

int attest_options_spare(const attest_options *o, const char *output, attest_fault *fault) {
  const char *const inputs[] = {o->q, o->k, o->v, o->past_k, o->past_v, o->kv_len, o->mask};

  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
    if (attest_spare(output, inputs[i], fault) != 0)
      return -1;
  return 0;
}

/* The option's name, for messages; NULL where it is none of those in this file. */
static const char *option_name(int id) {
  switch (id) {
  case 'q':
    return "-q";
  case 'k':
    return "-k";
  case 'v':
    return "-v";
  case ATTEST_OPT_CAUSAL:
    return "--causal";
  case ATTEST_OPT_WINDOW:
    return "--window";
  case ATTEST_OPT_SCALE:
    return "--scale";
  case ATTEST_OPT_SOFTCAP:
    return "--softcap";
  case ATTEST_OPT_HEADS:
    return "--heads";
  case ATTEST_OPT_KV_HEADS:
    return "--kv-heads";
  case ATTEST_OPT_BF16:
    return "--bf16";
  case ATTEST_OPT_KV_LEN:
    return "--kv-len";
  case ATTEST_OPT_MASK:
    return "--mask";
  case ATTEST_OPT_PAST_K:
    return "--past-k";
  case ATTEST_OPT_PAST_V:
    return "--past-v";
  case ATTEST_OPT_ENGINE:
    return "--engine";
  case ATTEST_OPT_TILE:
    return "--tile";
  case ATTEST_OPT_DTYPE:
    return "--dtype";
  default:
    return NULL;
  }
}

int attest_options_take(attest_options *options, int id, const char *value, attest_fault *fault) {
  const char *name = option_name(id);

  if (name == NULL)
    return ATTEST_FAIL(fault, "an option that this subcommand does not take");
  if (id >= ATTEST_OPT_CAUSAL) {
    const uint32_t bit = (uint32_t)1 << (id - ATTEST_OPT_CAUSAL);
    if ((options->seen & bit) != 0)
      return ATTEST_FAIL(fault, "%s: given twice", name);
    options->seen |= bit;
  }
  switch (id) {
  case 'q':
    return attest_once(&options->q, name, value, fault);
  case 'k':
    return attest_once(&options->k, name, value, fault);
  case 'v':
    return attest_once(&options->v, name, value, fault);
  case ATTEST_OPT_CAUSAL:
    return take_causal(options, value, fault);
  case ATTEST_OPT_WINDOW:
    return take_window(options, value, fault);
  case ATTEST_OPT_SCALE:
    options->scale_given = 1;
    return attest_parse_real(name, value, &options->scale, fault);
  case ATTEST_OPT_SOFTCAP:
    if (attest_parse_real(name, value, &options->softcap, fault) != 0)
      return -1;
    if (options->softcap < 0)
      return ATTEST_FAIL(fault, "%s: '%s' is below 0 (0: none)", name, value);
    return 0;
  case ATTEST_OPT_HEADS:
    return attest_parse_size(name, value, 1, ATTEST_MAX_HEADS, &options->heads, fault);
  case ATTEST_OPT_KV_HEADS:
    return attest_parse_size(name, value, 1, ATTEST_MAX_HEADS, &options->kv_heads, fault);
  case ATTEST_OPT_BF16:
    options->bf16 = 1;
    return 0;
  case ATTEST_OPT_KV_LEN:
    options->kv_len = value;
    return 0;
  case ATTEST_OPT_MASK:
    options->mask = value;
    return 0;
  case ATTEST_OPT_PAST_K:
    options->past_k = value;
    return 0;
  case ATTEST_OPT_PAST_V:
    options->past_v = value;
    return 0;
  case ATTEST_OPT_ENGINE:
    return take_engine(options, value, fault);
  case ATTEST_OPT_TILE:
    return attest_parse_size(name, value, 1, ATTEST_MAX_TILE, &options->tile, fault);
  default:
    return take_dtype(options, value, fault);
  }
}
