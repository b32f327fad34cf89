// Compiles the file named by KERNEL once per instruction set, each in a namespace of its own, so that one build is
// fast everywhere. The kernel sees LANES (float32 in a vector register) and REGISTERS (vector registers there are) and is
// picked at run time by `best_isa()`. Targets are set here rather than by -march, so the rest of the unit stays portable.
#include <cstdint>

#if (defined(__x86_64__) || defined(__amd64__)) && defined(__clang__)
#define ISA_TARGET(features) _Pragma("clang attribute push(__attribute__((target(" #features "))), apply_to = function)")
#endif
