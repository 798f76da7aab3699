// A model as it is served: its weights once in memory, a session for each worker.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_SERVED_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_SERVED_H_

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ports/linux/model.h"
#include "ports/linux/serve/engine/facts.h"
#include "ports/linux/serve/engine/label_map.h"
#include "ports/linux/serve/engine/sequences.h"

namespace octet::port::serve {

// One worker's. Its memory is taken by the constructor.
class Bound {
 public:
  // blob: of a model before, or null: `path` is read. Throws InputError.
  Bound(const std::string& path, std::shared_ptr<LoadedBlob> blob, const ModelOptions& options);

  Model& model() { return model_; }
  octet_session* session() { return model_.session(); }
  // Boxes of the last run, best first.
  std::span<const octet_detection> Detect(float threshold, uint32_t width, uint32_t height);

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  Model model_;
  std::unique_ptr<void, Free> memory_;
  std::vector<octet_detection> boxes_;
};

class Served {
 public:
  // Throws InputError. workers: sessions, one thread each.
  Served(const std::string& path, bool of_store, uint32_t workers);

  const ModelFacts& facts() const { return facts_; }
  // The caller's numbers of our classes. Throws InputError where no class has one.
  void SetLabelMap(const LabelMap& map);
  const ClassNumbers& numbers() const { return numbers_; }
  Bound& bound(uint32_t worker) { return *bound_[worker]; }
  Sequences& sequences() { return sequences_; }

  // Of answers so far: whether every score was a number.
  void Count(bool good);
  uint64_t good() const { return good_.load(std::memory_order_relaxed); }
  uint32_t bad_in_a_row() const { return bad_in_a_row_.load(std::memory_order_relaxed); }

 private:
  std::vector<std::unique_ptr<Bound>> bound_;
  ModelFacts facts_;
  ClassNumbers numbers_;
  Sequences sequences_;
  std::atomic<uint64_t> good_{0};
  std::atomic<uint32_t> bad_in_a_row_{0};
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_SERVED_H_
