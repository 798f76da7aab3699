// Tensors by key, in memory as far as that goes and behind it in a file that nobody else sees.
#ifndef OCTET_CONVERTER_SIMULATE_STORE_H_
#define OCTET_CONVERTER_SIMULATE_STORE_H_

#include <cstdint>
#include <map>
#include <mutex>

#include "converter/graph/graph.h"

namespace octet::simulate {

// Thread-safe. UserErrors where the file cannot take more: it lies in $TMPDIR, or /tmp.
class Store {
 public:
  explicit Store(int64_t memory_bytes) : left_bytes_(memory_bytes) {}
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Replaces what the key held.
  void Put(int64_t key, graph::Tensor tensor);
  bool Has(int64_t key) const;
  // The tensor where it is in memory, else null.
  const graph::Tensor* Find(int64_t key) const;
  // A copy, from wherever it is; the key must be there.
  graph::Tensor Get(int64_t key) const;
  // The same, and the key holds nothing any more.
  graph::Tensor Take(int64_t key);
  void Drop(int64_t key);

  // Bytes that were ever in the file at once.
  int64_t file_bytes() const { return file_end_; }

 private:
  struct Entry {
    graph::Tensor tensor;  // without its elements where they are in the file
    int64_t offset = -1, bytes = 0;
  };
  void DropLocked(int64_t key);
  int64_t TakeRoom(int64_t bytes);

  mutable std::mutex mutex_;
  int64_t left_bytes_;
  std::map<int64_t, Entry> entries_;
  std::multimap<int64_t, int64_t> free_;  // bytes -> offset
  int file_ = -1;
  int64_t file_end_ = 0;
};

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_STORE_H_
