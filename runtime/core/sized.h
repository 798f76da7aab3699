// Public structs that begin with their size (octet.h): from and to callers that were built with an
// older or newer header.
#ifndef OCTET_CORE_SIZED_H_
#define OCTET_CORE_SIZED_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace octet {

// What is less or more is no size but a variable nobody set.
constexpr uint32_t kLeastStructBytes = 8, kMostStructBytes = 4096;

template <typename T>
static inline bool IsSized(const T* of_caller) {
  return of_caller != nullptr && of_caller->size >= kLeastStructBytes &&
         of_caller->size <= kMostStructBytes;
}

// Fields that the caller does not know are zero. False where one is set that is not known here.
template <typename T>
static inline bool ReadSized(const T* of_caller, T* own) {
  if (!IsSized(of_caller)) return false;
  const auto* bytes = reinterpret_cast<const uint8_t*>(of_caller);
  for (size_t i = sizeof(T); i < of_caller->size; ++i) {
    if (bytes[i] != 0) return false;
  }
  *own = T();
  const size_t known = of_caller->size < sizeof(T) ? of_caller->size : sizeof(T);
  memcpy(static_cast<void*>(own), of_caller, known);
  return true;
}

// The fields that both know; zero what the caller alone knows. IsSized(of_caller).
template <typename T>
static inline void WriteSized(T own, T* of_caller) {
  own.size = of_caller->size;
  const size_t known = own.size < sizeof(T) ? own.size : sizeof(T);
  memcpy(static_cast<void*>(of_caller), &own, known);
  memset(reinterpret_cast<uint8_t*>(of_caller) + known, 0, own.size - known);
}

}  // namespace octet

#endif  // OCTET_CORE_SIZED_H_
