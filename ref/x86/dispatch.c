/* Which build of the tiled and decode nests to run, asked of the processor. The Makefile compiles
   lanes.c, tiled.c and decode.c for several vector widths where it targets x86-64 in general; the
   text is one and so are the bits. Everywhere else this file is not used and the nests have
   their plain names. */
#include "../decode.h"
#include "../tiled.h"

#define ATTEST_ISA base
#include "nests.h"
#undef ATTEST_ISA
#define ATTEST_ISA avx2
#include "nests.h"
#undef ATTEST_ISA
#define ATTEST_ISA avx512
#include "nests.h"
#undef ATTEST_ISA
#undef attest_tiled_head
#undef attest_decode_head

#ifdef __FRAMAC__
/*@ assigns \nothing; */
int __builtin_cpu_supports(const char *feature);
#endif

/*@ assigns \nothing; */
static int has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

/*@ assigns \nothing; */
static int has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }

void ATTEST_R(attest_tiled_head)(const attest_head h, attest_rule rule, size_t tile,
                                 real *scratch) {
  if (has_avx512())
    ATTEST_R(attest_tiled_head_avx512)(h, rule, tile, scratch);
  else if (has_avx2())
    ATTEST_R(attest_tiled_head_avx2)(h, rule, tile, scratch);
  else
    ATTEST_R(attest_tiled_head_base)(h, rule, tile, scratch);
}

void ATTEST_R(attest_decode_head)(const attest_head h, attest_rule rule, real *scratch) {
  if (has_avx512())
    ATTEST_R(attest_decode_head_avx512)(h, rule, scratch);
  else if (has_avx2())
    ATTEST_R(attest_decode_head_avx2)(h, rule, scratch);
  else
    ATTEST_R(attest_decode_head_base)(h, rule, scratch);
}
