// A blob read, checked and bound, with its threads and arena.
#ifndef OCTET_PORTS_LINUX_MODEL_H_
#define OCTET_PORTS_LINUX_MODEL_H_

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octet/octet.h"
#include "ports/linux/blob_file.h"
#include "ports/linux/cpu.h"
#include "ports/linux/file.h"
#include "ports/linux/thread_pool.h"
#include "runtime/format/validate.h"

namespace octet::port {

// Part of a session (runtime/engine/features.inc).
struct ModelFeature {
  uint32_t bit;  // OCTET_WITH_*
  // Said of a blob that lacks what the feature needs: in front of its path, and behind. null: the
  // feature needs nothing.
  const char *before, *behind;
};

struct ModelOptions {
  std::optional<octet_isa> isa;  // unset: the best this machine has
  uint32_t threads = 1;
  std::string plan;        // empty: plan 0
  bool all_plans = false;  // bound, for SetPlan; else that plan alone
  std::vector<ModelFeature> features;
  bool verify_hashes = true;
  bool float_sums = false;  // octet_config has it
  BlobStorage storage = BlobStorage::kOwned;
  std::shared_ptr<ThreadPool> pool;  // of another model, which never runs at the same time
  uint64_t (*ticks)(void) = nullptr;
  int (*before_layer)(void* context, uint32_t layer) = nullptr;  // octet_config has both
  void* before_layer_context = nullptr;

  void Set(const ModelFeature& feature, bool on);
};

// Of an option that sets BlobStorage::kMapped.
constexpr const char* kMapHelp =
    "run the blob in place, without a copy. Only for files that do not change: if the file "
    "changes, the program runs unchecked bytes or ends";

// A blob as a model left it: what of it is in memory, and hashed where that was wanted.
struct LoadedBlob {
  LoadedBlob(const std::string& path, BlobStorage storage) : file(path, storage) {}
  BlobFile file;
  std::array<bool, blob::kMaxSections> loaded{};
  bool is_open = false;  // all but weights and the report is in memory and was checked
};

// Two steps, so that a program can allocate what it needs between them, and nothing from Bind to
// its last frame.
class Model {
 public:
  // Reads the file, hashes it where wanted, and validates the plans to be bound. Throws InputError.
  Model(const std::string& path, const ModelOptions& options);
  // Of the blob of a model before, whose file may be gone or another one: what is in memory is not
  // read again, and what is not is known by its hash. Throws InputError; the blob stays good.
  Model(std::shared_ptr<LoadedBlob> blob, const ModelOptions& options);
  // Throws InputError. kKept: weights that this plan does not need stay in memory, until Trim.
  enum class Unused { kDropped, kKept };
  void Bind(Unused unused = Unused::kDropped);
  // others: plans that other models of this blob run.
  void Trim(uint32_t others = 0);
  // Between two frames: reads the weights that this plan needs and no plan before it did, from the
  // file that was opened, and hashes them. OCTET_CORRUPT: the file has changed since; the plan
  // stays as it was. OCTET_INVALID_ARGUMENT: not among those bound. Bounded by the file's size, no
  // allocation.
  octet_status SetPlan(uint32_t plan);

  const BlobView& blob() const { return blob_; }
  octet_session* session() const { return session_; }
  octet_isa isa() const { return isa_; }
  uint32_t threads() const { return options_.threads; }
  uint32_t plan() const { return plan_; }
  size_t arena_bytes() const { return arena_bytes_; }
  size_t blob_bytes() const { return file_.bytes(); }
  const std::shared_ptr<LoadedBlob>& loaded() const { return memory_; }
  const std::shared_ptr<ThreadPool>& pool() const { return pool_; }  // null: one thread
  // Those that are validated, and bound; 0: all.
  uint32_t plan_mask() const { return options_.all_plans ? 0 : 1u << plan_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  [[noreturn]] void Refuse(octet_status status) const;
  void RefuseFeatures() const;
  void RefuseUnless(Status status) const;
  void Open();
  void FindPlan(const std::string& name);
  void LoadOrRefuse(size_t begin, size_t end) const;
  template <typename Act>
  void EachSection(Act act);
  uint32_t PlanMask() const;
  bool InUse(const blob::Section& section, uint32_t plan) const;
  bool InUseByBound(const blob::Section& section) const;
  void VerifyHashes();
  int SectionOf(uint32_t begin, uint32_t end) const;
  void TouchArena() const;

  ModelOptions options_;
  std::shared_ptr<LoadedBlob> memory_;
  BlobFile& file_ = memory_->file;
  std::array<bool, blob::kMaxSections>& loaded_ = memory_->loaded;
  BlobView blob_{};
  Sha256BlocksFn hash_ = nullptr;
  octet_isa isa_ = OCTET_ISA_REFERENCE;
  uint32_t cpu_features_ = 0;
  uint32_t plan_ = 0;
  std::shared_ptr<ThreadPool> pool_;
  size_t arena_bytes_ = 0;
  std::unique_ptr<void, Free> arena_;
  octet_session* session_ = nullptr;
};

// Resident memory of this process.
uint64_t ResidentBytes();
// Monotonic clock, in nanoseconds.
uint64_t NowNs();

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_MODEL_H_
