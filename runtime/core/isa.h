// Instruction-set levels: isa.inc has one line for each. The words are fixed: they are the same in
// code, files, options, tests and benches.
#ifndef OCTET_CORE_ISA_H_
#define OCTET_CORE_ISA_H_

#include <stdint.h>

namespace octet {

// Values are those of octet_isa. They are numbers only: a level with a greater one may be of
// another family. IsaIncludes says what a level can do.
enum class Isa : uint8_t {
#define OCTET_LEVEL(code, Name, ...) k##Name = code,
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
};

// Levels of one family keep tensors in the same bytes (IsaSignByte). No level uses kernels of
// another family, except those of the reference.
enum class IsaFamily : uint8_t { kPortable, kX86, kNeon, kCortexM };

namespace isa {
static constexpr uint32_t Bit(Isa isa) {
  return 1u << (uint8_t)isa;
}

struct Line {
  Isa isa;
  IsaFamily family;
  uint32_t parents;
};
constexpr uint32_t kNoParent = 0;
#define OCTET_LEVEL(code, Name, ...) constexpr Isa k##Name = Isa::k##Name;
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
// A level behind its parents.
constexpr Line kLines[] = {
#define OCTET_LEVEL(code, Name, NAME, word, Family, parents, ...) \
  {k##Name, IsaFamily::Family, parents},
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
};
constexpr uint32_t kCount = sizeof(kLines) / sizeof(kLines[0]);

static constexpr bool LinesAreRight() {
  uint32_t before = 0;
  for (const Line& line : kLines) {
    // Each number once, each parent before its levels, and of the same family or the reference.
    if ((uint8_t)line.isa >= kCount || (before & Bit(line.isa)) != 0) return false;
    if ((line.parents & ~before) != 0 || (before != 0 && line.parents == 0)) return false;
    for (const Line& parent : kLines) {
      const bool is_parent = (line.parents & Bit(parent.isa)) != 0;
      if (is_parent && parent.isa != kReference && parent.family != line.family) return false;
    }
    before |= Bit(line.isa);
  }
  return true;
}
static_assert(LinesAreRight(), "core/isa.inc");

// A bit for each level whose kernels `level` may use.
static constexpr uint32_t IncludedIn(Isa level) {
  uint32_t included = Bit(level);
  for (uint32_t i = kCount; i-- > 0;) {
    if ((included & Bit(kLines[i].isa)) != 0) included |= kLines[i].parents;
  }
  return included;
}
}  // namespace isa

constexpr uint32_t kIsaCount = isa::kCount;

// True where `level` may use kernels written for `kernel`.
static constexpr bool IsaIncludes(Isa level, Isa kernel) {
  return (isa::IncludedIn(level) & isa::Bit(kernel)) != 0;
}

// A bit for each level that includes `kernel`. Programs test a level that they know only when they
// run against such a constant: no table of levels is part of them.
static constexpr uint32_t IsaLevelsWith(Isa kernel) {
  uint32_t levels = 0;
  for (const isa::Line& line : isa::kLines) {
    if (IsaIncludes(line.isa, kernel)) levels |= isa::Bit(line.isa);
  }
  return levels;
}

static constexpr IsaFamily IsaFamilyOf(Isa level) {
  for (const isa::Line& line : isa::kLines) {
    if (line.isa == level) return line.family;
  }
  return IsaFamily::kPortable;
}

static constexpr uint32_t IsaLevelsOf(IsaFamily family) {
  uint32_t levels = 0;
  for (const isa::Line& line : isa::kLines) {
    if (line.family == family) levels |= isa::Bit(line.isa);
  }
  return levels;
}

static constexpr bool IsaIsOneOf(Isa level, uint32_t levels) {
  return (levels >> (uint8_t)level & 1) != 0;
}

// Instructions that some machines of a level have and others lack: bits of
// octet_config.cpu_features.
constexpr uint32_t kFeatureAvx512Vbmi = 1;  // of avx512vnni, from Ice Lake on

// Those that every machine of the level has.
static constexpr uint32_t IsaFeatures(Isa level) {
  constexpr uint32_t kWithVbmi = IsaLevelsWith(Isa::kAmx);
  return IsaIsOneOf(level, kWithVbmi) ? kFeatureAvx512Vbmi : 0;
}

// XOR between the int8 value q of the quantization rule and the byte kept in the arena.
// x86 dot products take unsigned activations, so x86 vector levels keep q + 128.
static inline uint8_t IsaSignByte(Isa level) {
  constexpr uint32_t kUnsigned = IsaLevelsOf(IsaFamily::kX86);
  return IsaIsOneOf(level, kUnsigned) ? 0x80 : 0x00;
}

}  // namespace octet

#endif  // OCTET_CORE_ISA_H_
