// Random small models of everything lowering knows.
#ifndef OCTET_TESTS_CONVERTER_LOWER_RANDOM_GRAPH_H_
#define OCTET_TESTS_CONVERTER_LOWER_RANDOM_GRAPH_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/onnx_builder.h"

namespace octet::test {

inline int64_t ElementsOf(const Dims& shape) {
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  return count;
}

// A few random layers on one or two inputs, one to three outputs. Values stay within a few units,
// so that int8 outputs can be compared with FP32.
class RandomGraph {
 public:
  // Seeds from here on also take the steps of random_graph_families.cc; those below make the graphs
  // they always made.
  static constexpr uint64_t kFamilySeeds = uint64_t{1} << 32;
  // And from here on those of random_graph_axes.cc.
  static constexpr uint64_t kAxisSeeds = uint64_t{1} << 33;
  // From here on those of random_graph_attention.cc, with few others.
  static constexpr uint64_t kAttentionSeeds = uint64_t{1} << 34;
  // From here on those of random_graph_recurrent.cc, beside those from kAxisSeeds on.
  static constexpr uint64_t kRecurrentSeeds = uint64_t{1} << 35;

  explicit RandomGraph(uint64_t seed);
  const OnnxBuilder& model() const { return model_; }
  // Rounds somewhere, so that a small difference may become a large one.
  bool discontinuous() const { return discontinuous_; }
  bool axes() const { return axes_; }
  const std::string& description() const { return description_; }  // the steps, for a failure

 private:
  struct Entry {
    OnnxValue value;
    Dims shape;
  };

  static constexpr int64_t kMostElements = 20000;  // of a value

  int64_t Pick(int64_t low, int64_t high);  // inclusive
  bool Chance(int percent) { return Pick(1, 100) <= percent; }
  const Entry& Any() { return entries_[static_cast<size_t>(Pick(0, Last()))]; }
  int64_t Last() const { return static_cast<int64_t>(entries_.size()) - 1; }
  Entry Image();  // a rank 4 value, recent ones more often
  Entry Bounded(const Entry& from, float low, float high);  // squashed into [low, high]
  void Push(const char* what, const OnnxValue& value, Dims shape);

  void Step();
  void Convolution();
  void Unary();
  void Binary();
  void Broadcasting();
  void Pool();
  void Join();
  void Cut();
  void Padding();
  void Move();
  void Resize();
  void Transposed();
  void Volume();
  void Resample();
  void Normalise();
  void Matrix();
  void SqueezeExcite();
  void Residual();
  void Winograd();
  void Line();
  void DepthSpace();
  void Means();
  void Nothing();
  void Odd();
  void Batch();
  void DeadChannels();
  void PaddingOfValue();
  void FiveDimensions();
  void Outputs();
  // Of random_graph_families.cc.
  void FamilyStep();
  OnnxValue Comparison(const Entry& in);
  void Choice();
  void Logic();
  void Remainder();
  void TwoComputed();
  void SlopeByChannel();
  void FractionalResize();
  // Of random_graph_axes.cc.
  void AxisStep();
  int64_t AxisOf(const Entry& in);  // the first dimension alone where there is no other
  std::string Whole(const Dims& shape, const Dims& values);  // the name of a constant
  void Reduction();
  void NormaliseAxes();
  void SoftmaxAxis();
  void Product();
  void Scan();
  void GatherAxis();
  void Order();
  void Sample();
  // Of random_graph_attention.cc.
  void AttentionStep();
  OnnxValue Filled(const Dims& shape, const std::vector<float>& values);
  OnnxValue Drawn(const Dims& shape, float deviation);
  Entry Tokens();
  OnnxValue Linear(const OnnxValue& in, int64_t inputs, int64_t outputs);
  OnnxValue MeanOfRows(const OnnxValue& in);
  OnnxValue UnitRows(const OnnxValue& in, int64_t width);
  OnnxValue Settled(const Entry& in);
  OnnxValue Rotated(const OnnxValue& in, int64_t rows, int64_t width);
  OnnxValue Masked(const OnnxValue& scores, const Entry& keys, int64_t queries);
  void Attend();
  void FeedForward();
  void NormaliseTokens();
  void Windows();
  void SelectTokens();
  void SampleByTokens();
  // Of random_graph_recurrent.cc.
  void RecurrentStep();

  std::mt19937_64 random_;
  OnnxBuilder model_;
  std::vector<Entry> entries_;
  std::string description_;
  bool discontinuous_ = false;
  bool odd_ = false;
  bool families_ = false;
  bool axes_ = false;
  bool attention_ = false;
  bool recurrent_ = false;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_LOWER_RANDOM_GRAPH_H_
