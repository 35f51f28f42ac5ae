#include "exp.h"

#include "exp2.h"
#include "log.h"
#include "tanh.h"

const double ATTEST_R(fuzz_ulps)[FUZZ_FUNCTIONS] = {ATTEST_EXP2_ULPS, ATTEST_LOG_ULPS,
                                                    ATTEST_TANH_ULPS};

real ATTEST_R(fuzz_apply)(int function, real x) {
  return function == FUZZ_EXP2 ? attest_exp2_fraction(x)
         : function == FUZZ_LOG ? attest_log(x)
                                : attest_tanh(x);
}

real ATTEST_R(fuzz_power)(real e) { return attest_pow2(e); }
