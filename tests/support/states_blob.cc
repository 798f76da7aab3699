#include "tests/support/states_blob.h"

#include "runtime/core/half.h"

namespace octet::test {
namespace {

using blob::ElementType;

constexpr BlobBuilder::Dims kDims = {1, 3, 7, 5}, kNumbers = {1, 1, 1, kStateNumbers};

void AddStatesPlan(bool second, BlobBuilder* builder) {
  BlobBuilder& b = *builder;
  // The second plan has its tensors at other places, and a layer more.
  if (second) b.AddTensor({1, 1, 1, 40}, ElementType::kFp16);
  const uint32_t x = b.AddInput("x", kDims, ElementType::kFp16);
  const uint32_t i = b.AddInput("i", kNumbers, ElementType::kInt32);
  const uint32_t h = b.AddTensor(kDims, ElementType::kFp16, 1, 0, "h");
  const uint32_t last = b.AddTensor(kNumbers, ElementType::kInt32, 1, 0, "last");
  const uint32_t product = b.AddTensor(kDims, ElementType::kFp16, 1, 0, "product");
  const uint32_t sum = b.AddTensor(kDims, ElementType::kFp16, 1, 0, "sum");
  const uint32_t now = b.AddTensor(kNumbers, ElementType::kInt32, 1, 0, "now");
  const uint32_t told = b.AddTensor(kNumbers, ElementType::kInt32, 1, 0, "told");
  if (second) {
    b.AddLayer(blob::Op::kConstant, {}, 0, "other").extra = b.AddTable(std::vector<uint16_t>(40));
  }
  b.AddLayer(blob::Op::kMul, {h, x}, product, "mul");
  b.AddLayer(blob::Op::kAdd, {product, x}, sum, "add");
  b.AddLayer(blob::Op::kReshape, {last}, told, "tell");
  b.AddLayer(blob::Op::kReshape, {i}, now, "keep");
  b.AddOutput("y", sum);
  b.AddOutput("was", told);
  b.AddState("h", "h_out", h, sum);
  b.AddState("last", "now", last, now);
}

}  // namespace

Blob MakeStatesBlob(const std::function<void(BlobBuilder&)>& change) {
  BlobBuilder b;
  AddStatesPlan(false, &b);
  std::vector<uint16_t> start(kStateElements);
  for (size_t k = 0; k < start.size(); ++k) {
    start[k] = FloatToHalf(static_cast<float>(k % 16) / 16);
  }
  b.state(0).initial = b.AddTable(start).offset;
  b.AddPlan("other", blob::Precision::kFp16);
  AddStatesPlan(true, &b);
  if (change) change(b);
  return b.Build();
}

}  // namespace octet::test
