// Pictures side by side through a graph, one node at a time: what corrections are found from, for
// every layer must see inputs that are corrected already.
#ifndef OCTET_CONVERTER_SIMULATE_SIDE_BY_SIDE_H_
#define OCTET_CONVERTER_SIMULATE_SIDE_BY_SIDE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "converter/images/dataset.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/steps.h"

namespace octet::simulate {

// What one picture gives in an int8 layer with weights before its activation, exactly and rounded:
// means over the positions of each output channel.
struct Moments {
  std::vector<double> shift;  // of exact - rounded
  std::vector<double> exact, rounded, exact_square, rounded_square, product;
};

// Rounded results of a layer become factor * result + offset, by output channel; empty: as they
// are.
struct Correction {
  std::vector<float> factors, offsets;
};

// Who looks at the int8 layers with weights, and changes them before anything behind them runs. By
// default: nothing.
class Visitor {
 public:
  virtual ~Visitor() = default;
  // Whether node n is shown by See() and asked by Refine(), before either.
  virtual bool Opens(size_t n);
  // Input 0 of the simulation and exact results of one picture (an index into the samples), before
  // the activation. From several threads at once, in any order.
  virtual void See(size_t n, size_t picture, const graph::Tensor& input,
                   const graph::Tensor& exact);
  // Behind all pictures: what the node is computed with from here on; null: its weights as they
  // are.
  virtual std::shared_ptr<const graph::Tensor> Refine(size_t n);
  // What is done to the rounded results, those of the scheme's correction. moments: by picture.
  virtual Correction Correct(size_t n, const std::vector<Moments>& moments);
};

struct SideBySide {
  int threads = 1;
  // Values that this does not hold go through a file: one picture a thread is in memory anyway.
  int64_t memory_bytes = int64_t{1} << 30;
  // Whether simulated values are cut off at the ends of their ranges: as they are, or where means
  // are asked for, for what large values lose there is no shift of all.
  bool clip = true;
};

// Runs the pictures `samples` through the graph, exactly and as `scheme` has it. progress: after
// every node that runs.
void RunSideBySide(const Topology& topology, const quantize::Scheme& scheme,
                   const std::vector<const images::Dataset*>& inputs,
                   const std::vector<int64_t>& samples, const SideBySide& how, Visitor& visitor,
                   const std::function<void()>& progress);

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_SIDE_BY_SIDE_H_
