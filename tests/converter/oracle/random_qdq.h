// Random models that bring their quantization along, as exporters write them.
#ifndef OCTET_TESTS_CONVERTER_ORACLE_RANDOM_QDQ_H_
#define OCTET_TESTS_CONVERTER_ORACLE_RANDOM_QDQ_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/onnx_builder.h"

namespace octet::test {

// One to eight steps on one input of four dimensions. Seed modulo 5 is the style:
//   0  PyTorch: float weights through QuantizeLinear, DequantizeLinear, by channel; reduced ranges
//      as a Clip on codes; float biases
//   1  ONNX Runtime: weights and biases are codes; unsigned or signed; every tensor is quantized;
//      data moves as codes or between the pairs
//   2  TensorFlow through tf2onnx: weights in HWIO, transposed behind their DequantizeLinear
//   3  Brevitas: learned scales that cut values off, narrow ranges and fewer bits as a Clip on
//      codes, tensors that are not quantized between
//   4  QLinear operators, whose weights have `linear_bits` bits: 7 where another engine's sums of
//      two products must fit 16 bits, which they have to on x86 without VNNI; 8 else. Two numbers
//      of bits make the same graph with other weights.
class RandomQdq {
 public:
  static constexpr uint64_t kStyles = 5;

  explicit RandomQdq(uint64_t seed, int linear_bits = 7);
  const OnnxBuilder& model() const { return model_; }
  const std::string& description() const { return description_; }

 private:
  enum class Style : uint8_t { kPyTorch, kOnnxRuntime, kTensorFlow, kBrevitas, kQLinear };

  // A type of codes with the numbers of a scheme; names are those of the constants.
  struct Scheme {
    std::string scale_name, zero_name;
    float scale = 1;
    int64_t zero = 0;
    bool is_signed = false;
    int64_t low = 0, high = 255;  // of the codes; tighter than the type's where a Clip says so
  };

  struct Entry {
    std::string real;   // "" where only the codes are there
    std::string codes;  // "" where it is not quantized, or its codes are nobody's business
    Scheme scheme;      // of the codes, or of the pair that made it
    Dims shape;
    float deviation = 1;  // about that of its values
    bool positive = false;
    bool quantized = false;
  };

  struct Window {
    int64_t kernel = 1, stride = 1, pad = 0, dilation = 1;
    int64_t Extent(int64_t size) const {
      return (size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
    }
    Attributes Of(int64_t group) const;
  };

  int64_t Pick(int64_t low, int64_t high);  // inclusive
  bool Chance(int percent) { return Pick(1, 100) <= percent; }
  float Between(float low, float high);
  const Entry& Last() const { return entries_.back(); }
  Entry Image();
  void Push(const std::string& what, Entry entry);

  // Of random_qdq.cc.
  std::string Codes(const Dims& shape, const std::vector<int64_t>& values, int type);
  std::string Floats(const Dims& shape, const std::vector<float>& values);
  std::string Op(const std::string& op, const std::vector<std::string>& inputs,
                 Attributes attributes = {});
  Scheme SchemeFor(float deviation, bool positive);
  std::string Quantize(const std::string& real, const Scheme& scheme);
  std::string Dequantize(const std::string& codes, const Scheme& scheme);
  // The pair behind a float result.
  Entry Fake(const std::string& real, Dims shape, float deviation, bool positive);
  std::string Real(const Entry& entry);
  // Weights of a layer; `scales` gets one an output, or one, where the axis is that of the outputs.
  std::string Weights(const Dims& shape, int64_t output_axis, int64_t fan_in,
                      std::vector<float>* scales);
  std::string Bias(int64_t count, const Entry& data, const std::vector<float>& scales);
  std::string ScaleOf(const std::vector<float>& scales, bool by_axis);

  // Of random_qdq_layers.cc.
  void Step();
  void Convolution();
  void Transposed();
  void Matrix();
  void Behind(const std::string& what, std::string real, Dims shape, float deviation);
  void Join();
  void Unary();
  void Gate();
  void Shared();
  void Mean();

  // Of random_qdq_movement.cc.
  void Pool();
  void Move();
  void Scale();
  void Cut();

  // Of random_qdq_linear.cc.
  // The deviation of weights in codes, and a random one within linear_bits_.
  float LinearSpread() const { return linear_bits_ == 8 ? 50.0f : 25.0f; }
  int64_t LinearCode();
  void LinearStep();
  void LinearConvolution();
  void LinearProduct();
  void LinearBinary();
  void LinearUnary();
  std::string Microsoft(const std::string& op, const std::vector<std::string>& inputs,
                        Attributes attributes = {});

  void Outputs();

  std::mt19937_64 random_;
  Style style_;
  int linear_bits_;
  OnnxBuilder model_;
  std::vector<Entry> entries_;
  std::string description_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_ORACLE_RANDOM_QDQ_H_
