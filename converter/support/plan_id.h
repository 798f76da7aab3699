// The plans that a blob may have. Files hold their names.
#ifndef OCTET_CONVERTER_SUPPORT_PLAN_ID_H_
#define OCTET_CONVERTER_SUPPORT_PLAN_ID_H_

#include <cstddef>
#include <cstdint>

namespace octet {

enum class PlanId : uint8_t { kInt8, kMixed, kFp16 };

constexpr const char* NameOf(PlanId plan) {
  constexpr const char* kNames[] = {"int8", "mixed", "fp16"};
  return kNames[static_cast<size_t>(plan)];
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_PLAN_ID_H_
