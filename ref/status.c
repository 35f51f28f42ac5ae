#include "attest.h"

/*@ assigns \result \from status; */
const char *attest_status_text(attest_status status) {
  switch (status) {
    case ATTEST_OK: return "done";
    case ATTEST_NULL: return "a required pointer is missing";
    case ATTEST_SHAPE: return "a width or a number of heads is 0, or output rows overlap";
    case ATTEST_LIMIT: return "a size is above the limits of this build";
    case ATTEST_HEADS: return "the query heads are not a multiple of the key and value heads";
    case ATTEST_NUMBER: return "scale or softcap is outside the range of the working format";
    case ATTEST_REACH: return "an offset, window or key length is out of range";
    case ATTEST_ENGINE: return "no such engine, or a tile size out of range";
    case ATTEST_SCRATCH: return "the scratch memory is too small";
    case ATTEST_ENVIRONMENT: return "the arithmetic is not IEEE 754 to nearest with subnormals";
  }
  return "unknown status";
}
