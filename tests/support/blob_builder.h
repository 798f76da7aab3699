// Makes small blobs for tests: adds tensors, layers and data, places them, and fills in everything
// the format derives (offsets, lifetimes, sizes, scratch, hashes). Every record can still be
// changed before Build, to make bad blobs too.
//
//   BlobBuilder b;
//   const uint32_t x = b.AddInput("x", {1, 8, 8, 3}, ElementType::kInt8, 0.1f, 0);
//   const uint32_t y = b.AddTensor({1, 8, 8, 16}, ElementType::kInt8, 0.2f, 3);
//   blob::LayerRecord& conv = b.AddLayer(blob::Op::kConv, {x}, y);
//   conv.weights = b.AddWeights(packed), conv.channels = b.AddWeights(blocks);
//   b.Params<blob::ConvParams>(conv) = {...};
//   b.AddOutput("y", y);
//   const Blob blob = b.Build();
#ifndef OCTET_TESTS_SUPPORT_BLOB_BUILDER_H_
#define OCTET_TESTS_SUPPORT_BLOB_BUILDER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/format/blob.h"
#include "runtime/format/decode.h"

namespace octet::test {

// Memory aligned as blobs and arenas have to be; sanitizers see its exact end.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* pointer, size_t) { ::operator delete (pointer, std::align_val_t{64}); }
  template <typename U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};
using AlignedBytes = std::vector<uint8_t, AlignedAllocator<uint8_t>>;
using Blob = AlignedBytes;

class BlobBuilder {
 public:
  using Dims = std::array<uint32_t, 4>;

  BlobBuilder();

  // Calls below go to the plan added last; the first exists from the start ("int8").
  void AddPlan(std::string_view name, blob::Precision precision);

  uint32_t AddTensor(const Dims& dims, blob::ElementType type = blob::ElementType::kInt8,
                     float scale = 1, int zero_point = 0, std::string_view name = "");
  // A tensor that is the next model input of this plan; in the first plan it also adds the
  // InputRecord (logical shape = dims, dense strides, no image).
  uint32_t AddInput(std::string_view name, const Dims& dims,
                    blob::ElementType type = blob::ElementType::kInt8, float scale = 1,
                    int zero_point = 0);
  // The next model output: the whole tensor, logical shape = its dims. In later plans only the part
  // is added.
  void AddOutput(std::string_view name, uint32_t tensor);
  // An output assembled from parts. dims: logical shape (first plan).
  void AddOutput(std::string_view name, std::vector<uint32_t> dims,
                 std::vector<blob::OutputPart> parts);
  // The next state: two tensors of this plan; in the first plan it also adds the StateRecord
  // (logical shape = dims).
  void AddState(std::string_view name, std::string_view output, uint32_t read, uint32_t written);
  // Numbers that are added to an output: what OutputPart::offsets is to be. Build() puts the place
  // in the model section there.
  uint32_t AddOffsets(std::vector<float> values) {
    offsets_.push_back(std::move(values));
    return static_cast<uint32_t>(offsets_.size());
  }
  // Layers run in the order they are added. The reference stays valid. Precision follows the
  // output's type.
  blob::LayerRecord& AddLayer(blob::Op op, std::vector<uint32_t> inputs, uint32_t output,
                              std::string_view name = "");
  // `tensor` gets the bytes of `other` (in place, or after its death).
  void PlaceAt(uint32_t tensor, uint32_t other);

  template <typename P>
  static P& Params(blob::LayerRecord& layer) {
    static_assert(sizeof(P) <= sizeof(layer.params));
    return *reinterpret_cast<P*>(layer.params.bytes);
  }

  // Data of a section, 64-byte aligned. Weights and channel blocks of int8 layers / of FP16 layers
  // / tables.
  template <typename T>
  blob::DataRef AddWeights(const std::vector<T>& values) {
    return Append(weights_s8_, Raw(values));
  }
  template <typename T>
  blob::DataRef AddWeightsF16(const std::vector<T>& values) {
    return Append(weights_f16_, Raw(values));
  }
  template <typename T>
  blob::DataRef AddTable(const std::vector<T>& values) {
    return Append(tables_, Raw(values));
  }
  template <typename T>
  blob::DataRef AddTransformed(const std::vector<T>& values) {
    return Append(transformed_, Raw(values));
  }
  uint32_t AddString(std::string_view text);
  void AddLabel(std::string_view text);
  // The decode section: record, levels and anchors, whose counts and offsets are filled in.
  void SetDecode(blob::Task task, blob::DecodeRecord record,
                 const std::vector<blob::DecodeLevel>& levels,
                 const std::vector<blob::DecodeAnchor>& anchors,
                 const std::vector<blob::DecodeExtra>& extras = {});

  blob::TensorRecord& tensor(uint32_t number) { return plans_.back().tensors[number]; }
  blob::InputRecord& input(uint32_t number) { return inputs_[number]; }
  blob::StateRecord& state(uint32_t number) { return states_[number]; }

  Blob Build();
  void SetSectionAlignment(uint32_t bytes) { section_alignment_ = bytes; }
  // A section that the builder knows nothing of, behind all others.
  void AddSection(blob::SectionKind kind, std::vector<uint8_t> bytes) {
    more_.emplace_back(kind, std::move(bytes));
  }

 private:
  struct Layer {
    blob::LayerRecord record;
    std::vector<uint32_t> inputs;
  };
  struct Plan {
    blob::PlanRecord record{};
    std::vector<blob::TensorRecord> tensors;
    std::deque<Layer> layers;
    std::vector<uint32_t> inputs;
    std::vector<std::vector<blob::OutputPart>> outputs;
    std::vector<uint32_t> states;     // pairs
    std::vector<uint32_t> placed_at;  // tensor -> tensor, or kNone
  };

  template <typename T>
  static std::span<const uint8_t> Raw(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
  }
  static blob::DataRef Append(std::vector<uint8_t>& section, std::span<const uint8_t> data);
  void Derive(Plan& plan);
  std::vector<uint8_t> ModelSection();
  static std::vector<uint8_t> PlanSection(Plan& plan);

  std::vector<Plan> plans_;
  std::vector<blob::InputRecord> inputs_;
  std::vector<blob::OutputRecord> outputs_;
  std::vector<blob::StateRecord> states_;
  std::vector<uint8_t> weights_s8_, weights_f16_, transformed_, tables_, strings_, labels_, decode_;
  uint32_t label_count_ = 0;
  uint32_t section_alignment_ = blob::kLargestSectionAlignment;
  std::vector<std::vector<float>> offsets_;
  std::vector<std::pair<blob::SectionKind, std::vector<uint8_t>>> more_;
  blob::Task task_ = blob::Task::kNone;
};

// Recomputes section hashes and header hash as far as the header and table can be followed.
void Rehash(std::span<uint8_t> blob);

// One int8 conv: x [1,h,w,in_c] -> y [1,h,w,out_c] with pseudo-random weights, 1x1 or 3x3 padded.
struct ConvBlobOptions {
  uint32_t height = 5, width = 6, in_c = 3, out_c = 20, kernel = 3;
  uint32_t seed = 1;
};
Blob MakeConvBlob(const ConvBlobOptions& options);

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_BLOB_BUILDER_H_
