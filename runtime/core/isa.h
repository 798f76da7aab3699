// Instruction-set levels. The words are fixed: they are the same in code, files, options, tests and
// benches.
#ifndef OCTET_CORE_ISA_H_
#define OCTET_CORE_ISA_H_

#include <stdint.h>

namespace octet {

// Within one architecture the levels are ordered: a level includes every lower one of the same
// architecture (but see IsaIncludes). Values are those of octet_isa and never change.
enum class Isa : uint8_t {
  kReference = 0,   // portable C++, every architecture; the normative behaviour
  kAvx2 = 1,        // AVX2 + FMA + F16C
  kAvxVnni = 2,     // VEX-encoded VPDPBUSD, 256 bit
  kAvx512Vnni = 3,  // AVX-512 F/BW/VL/DQ/VNNI; AVX512-VBMI where the machine has it
  kAmx = 4,         // AMX-INT8, AVX512-VBMI; all of the above as well
  kNeon = 5,        // ARMv8.0 Advanced SIMD, or ARMv7 with NEON VFPv4
  kDotprod = 6,     // ARMv8.2 SDOT and FP16 arithmetic
  kI8mm = 7,        // ARMv8.6 SMMLA
  kCm4 = 8,         // Cortex-M with the DSP extension, SMLAD: M4, M7, M33, M55; ARMv7-A has it too
  kHelium = 9,      // Cortex-M with integer MVE, VMLADAV: M55, M85; cm4 as well
};
constexpr uint32_t kIsaCount = 10;

// True where `level` may use kernels written for `kernel` (same family and not higher). The one
// gap: AVX-512 VNNI machines before Sapphire Rapids lack the VEX encoding of AVX-VNNI. Cortex-M is
// a family of its own: its cores have no NEON.
static constexpr bool IsaIncludes(Isa level, Isa kernel) {
  if (kernel == Isa::kReference) return true;
  if (kernel == Isa::kAvxVnni) return level == Isa::kAvxVnni || level == Isa::kAmx;
  if (level >= Isa::kCm4 || kernel >= Isa::kCm4) return kernel >= Isa::kCm4 && kernel <= level;
  const bool x86_level = level >= Isa::kAvx2 && level <= Isa::kAmx;
  const bool x86_kernel = kernel >= Isa::kAvx2 && kernel <= Isa::kAmx;
  return level != Isa::kReference && x86_level == x86_kernel && kernel <= level;
}

// Instructions that some machines of a level have and others lack: bits of
// octet_config.cpu_features.
constexpr uint32_t kFeatureAvx512Vbmi = 1;  // of avx512vnni, from Ice Lake on

// Those that every machine of the level has.
static constexpr uint32_t IsaFeatures(Isa level) {
  return level == Isa::kAmx ? kFeatureAvx512Vbmi : 0;
}

// XOR between the int8 value q of the quantization rule and the byte kept in the arena.
// x86 dot products take unsigned activations, so x86 vector levels keep q + 128.
static inline uint8_t IsaSignByte(Isa level) {
  return level >= Isa::kAvx2 && level <= Isa::kAmx ? 0x80 : 0x00;
}

}  // namespace octet

#endif  // OCTET_CORE_ISA_H_
