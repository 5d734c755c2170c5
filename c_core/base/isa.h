/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the compiled instruction sets this machine runs. Results do not depend on it. */
#ifndef FR_ISA_H
#define FR_ISA_H

typedef enum fr_isa { FR_ISA_GENERIC, FR_ISA_AVX2, FR_ISA_AVX512 } fr_isa;

/* The best one the processor and this build have. */
fr_isa fr_best_isa(void);

/* Pick a function or the address of a table compiled for each instruction set: FR_PICK(isa, fr_tree_nearest). */
#ifdef FR_ISA_X86
#define FR_PICK(isa, name)                                                                                             \
  ((isa) == FR_ISA_AVX512 ? &name##_avx512 : (isa) == FR_ISA_AVX2 ? &name##_avx2 : &name##_generic)
#else
#define FR_PICK(isa, name) ((void)(isa), &name##_generic)
#endif

#endif
