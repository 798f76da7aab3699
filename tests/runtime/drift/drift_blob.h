// A blob with every operator whose numbers follow from scales, and a drift section over it.
#ifndef OCTET_TESTS_RUNTIME_DRIFT_DRIFT_BLOB_H_
#define OCTET_TESTS_RUNTIME_DRIFT_DRIFT_BLOB_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/format/drift_record.h"
#include "runtime/format/view.h"
#include "tests/support/blob_builder.h"

namespace octet::test {

// Groups of the section, in its order.
enum DriftGroupName : uint32_t {
  kGroupInput,      // x
  kGroupRelu,       // conv, clamped to [0, 6]
  kGroupSilu,       // depthwise with a fused table, and the max pool behind it
  kGroupPool,       // average pool
  kGroupByChannel,  // unary with tables by channel; what it reads grows with it
  kGroupSum,        // add
  kGroupProduct,    // mul
  kGroupJoined,     // concat with tables
  kGroupLeaky,      // unary with one table, converted to FP16 for the output
  kDriftGroups
};

struct DriftParts {
  blob::DriftRecord record{};
  std::vector<blob::DriftGroup> groups;
  std::vector<blob::DriftLayer> layers;
  std::vector<uint16_t> group_of;
  std::vector<blob::DriftChannel> channels;

  std::vector<uint8_t> Section() const;
};

// Input x float [1, 6, 6, 4]; plans "int8" and "fp16". change: what is wrong with the section.
// more: of the builder, before the blob is made.
Blob MakeDriftBlob(void (*change)(DriftParts*) = nullptr,
                   const std::function<void(BlobBuilder&)>& more = nullptr);

// Of a blob that has one.
Bytes DriftSectionOf(const BlobView& view);

// Layers of the int8 plan by what they write.
enum DriftLayerName : uint32_t {
  kLayerConv,
  kLayerDepthwise,
  kLayerMaxPool,
  kLayerAveragePool,
  kLayerPointwise,
  kLayerByChannel,
  kLayerAdd,
  kLayerMul,
  kLayerConcat,
  kLayerLeaky,
  kLayerConvert
};

constexpr uint32_t kDriftInputs = 6 * 6 * 4;

}  // namespace octet::test

#endif  // OCTET_TESTS_RUNTIME_DRIFT_DRIFT_BLOB_H_
