/* Frama-C's has no rounding modes; these are x86-64's. */
#ifndef EACSL_FENV_H
#define EACSL_FENV_H

#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00

int fesetround(int mode);

#endif
