// Memory between two unmapped pages, so that one byte read or written past an end stops the test;
// what is left of the pages holds a pattern that must still be there afterwards.
#ifndef OCTET_TESTS_RUNTIME_KERNELS_GUARDED_BUFFER_H_
#define OCTET_TESTS_RUNTIME_KERNELS_GUARDED_BUFFER_H_

#include <cstddef>
#include <cstdint>

namespace octet::kernels_test {

class GuardedBuffer {
 public:
  enum class Place { kEnd, kStart };  // which end of the buffer meets its unmapped page

  // kEnd: the address is a multiple of `alignment`, and exactly at the end of the page where
  // `bytes` is one too.
  explicit GuardedBuffer(size_t bytes, size_t alignment = 1, Place place = Place::kEnd);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  uint8_t* data() const { return data_; }
  size_t size() const { return bytes_; }
  template <typename T>
  T* As() const {
    return reinterpret_cast<T*>(data_);
  }

  void Poison(uint8_t value) const;
  bool GuardsIntact() const;

 private:
  uint8_t* mapping_;
  size_t mapping_bytes_;
  uint8_t* first_;  // of the accessible pages
  size_t accessible_bytes_;
  uint8_t* data_;
  size_t bytes_;
};

}  // namespace octet::kernels_test

#endif  // OCTET_TESTS_RUNTIME_KERNELS_GUARDED_BUFFER_H_
