/* No include guard: declares the nests of the vector width ATTEST_ISA, with the contracts of their
   headers. */
#undef ATTEST_TILED_H
#undef ATTEST_DECODE_H
#undef attest_tiled_head
#undef attest_decode_head
#define attest_tiled_head ATTEST_JOIN(attest_tiled_head, ATTEST_ISA)
#define attest_decode_head ATTEST_JOIN(attest_decode_head, ATTEST_ISA)
#include "../decode.h"
#include "../tiled.h"
