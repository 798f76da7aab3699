// All that the runtime asks of a C library. (memcmp as well: GCC may call it for comparisons, as
// for the other three.)
#include <stddef.h>

extern "C" {

void* memcpy(void* destination, const void* source, size_t bytes) {
  unsigned char* to = static_cast<unsigned char*>(destination);
  const unsigned char* from = static_cast<const unsigned char*>(source);
  for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
  return destination;
}

void* memmove(void* destination, const void* source, size_t bytes) {
  unsigned char* to = static_cast<unsigned char*>(destination);
  const unsigned char* from = static_cast<const unsigned char*>(source);
  if (to < from) {
    for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
  } else {
    for (size_t i = bytes; i-- > 0;) to[i] = from[i];
  }
  return destination;
}

void* memset(void* destination, int value, size_t bytes) {
  unsigned char* to = static_cast<unsigned char*>(destination);
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(value);
  return destination;
}

int memcmp(const void* left, const void* right, size_t bytes) {
  const unsigned char* a = static_cast<const unsigned char*>(left);
  const unsigned char* b = static_cast<const unsigned char*>(right);
  for (size_t i = 0; i < bytes; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

}  // extern "C"
