// The layers of a plan whose scales have moved, in the arena:
//   Bank | tensor records of the plan | layer records | their channels and tables
// The blob is never written; what it says stays one call away.
#ifndef OCTET_DRIFT_BANK_H_
#define OCTET_DRIFT_BANK_H_

#include "runtime/drift/rounds.h"
#include "runtime/drift/section.h"
#include "runtime/kernels/operator.h"

namespace octet {
namespace drift {

struct Bank {
  Section section;
  Peaks peaks;                           // of the frame that is observed
  int8_t steps[blob::kMostDriftGroups];  // the bank is filled for
  bool moved;                            // the records below hold, instead of the blob's
  uint8_t* base;
  blob::TensorRecord* tensors;
  blob::LayerRecord* layers;  // in the order of section.layers
  uint32_t data_offset;       // of the first layer's data, from base
};

// A DataRef counts from the bank's start, in 32 bits. ViewSection refuses sections that need more.
constexpr uint64_t kMostBankBytes = UINT32_MAX;

// Bytes of it all, a multiple of 64. Arrays and layer numbers of the section are checked.
uint64_t BankBytes(const Section& section);

// memory: BankBytes(), 64-byte aligned, zero or not.
Bank* MakeBank(const Section& section, uint8_t* memory);

// Layer `number` of the plan, as it runs now. from: as it is in the blob. at: how many listed
// layers come before it; moved on where this is one.
LayerView ViewOf(const Bank& bank, uint32_t number, const LayerView& from, uint32_t* at);

typedef LayerView (*ViewInBlobFn)(const BlobView& blob, const PlanView& plan, uint32_t layer);
typedef bool (*CheckViewFn)(const LayerView& view);

// Computes the layers for these steps (one a group, each within kMostSteps) and checks every layer
// of the plan by its operator's own rules, accumulators included. False: some factor or accumulator
// would leave its bound; then the bank holds nothing that may run.
bool Fill(const BlobView& blob, const int8_t* steps, ViewInBlobFn view, CheckViewFn check,
          Bank* bank);

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_BANK_H_
