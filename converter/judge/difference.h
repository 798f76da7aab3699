// How far the values of two runs of a graph are apart, over samples: of layers against ONNX
// Runtime, and of models that are reduced.
#ifndef OCTET_CONVERTER_JUDGE_DIFFERENCE_H_
#define OCTET_CONVERTER_JUDGE_DIFFERENCE_H_

#include <vector>

namespace octet::judge {

// Sums over samples of one value.
struct Agreement {
  double signal = 0, noise = 0;   // sums of squares
  double product = 0, power = 0;  // of FP32 with the plan, of the plan with itself
  double largest = 0, range = 0;  // absolute difference, FP32 output range

  void Add(const std::vector<float>& expected, const std::vector<float>& actual);
  void Merge(const Agreement& other);
  double SnrDb() const;  // what is no number is the worst
  double Cosine() const;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_DIFFERENCE_H_
