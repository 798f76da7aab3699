// A blob in the runtime, in memory of its own.
#ifndef OCTET_CONVERTER_JUDGE_RUNNER_H_
#define OCTET_CONVERTER_JUDGE_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "converter/graph/tensor.h"
#include "octet/octet.h"
#include "runtime/format/view.h"

namespace octet::judge {

// Which level of the machine, and which of its instructions (octet_config).
struct Machine {
  octet_isa isa = OCTET_ISA_REFERENCE;
  uint64_t cpu_features = 0;
};

class Runner {
 public:
  // blob: verified, 64-byte aligned, stays. Throws UserError where this program lacks an operator
  // of it.
  Runner(const uint8_t* blob, size_t bytes, const Machine& machine);

  const BlobView& view() const { return view_; }
  uint32_t plan_count() const { return octet_plan_count(session_); }
  std::string PlanName(uint32_t plan) const { return octet_plan_name(session_, plan); }
  // The next run is the first of a sequence.
  void Reset();
  // Inputs and outputs in the blob's order. What follows the blob's inputs is not read.
  std::vector<std::vector<float>> Run(uint32_t plan, const std::vector<graph::Tensor>& inputs);

  // Layer by layer: after Begin, each Layer() in order runs one and returns its result.
  void Begin(uint32_t plan, const std::vector<graph::Tensor>& inputs);
  uint32_t layer_count() const { return octet_layer_count(session_); }
  std::vector<float> Layer(uint32_t layer);
  std::string LayerName(uint32_t layer) const;

 private:
  struct Free {
    void operator()(uint8_t* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  BlobView view_{};
  std::unique_ptr<uint8_t[], Free> arena_;
  octet_session* session_ = nullptr;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_RUNNER_H_
