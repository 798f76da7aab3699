// How steeply outputs follow a unit: one picture through a graph in FP32, every value kept, and
// the nodes behind a unit once more with its result moved a little.
#ifndef OCTET_CONVERTER_ASSIGN_GRADIENT_H_
#define OCTET_CONVERTER_ASSIGN_GRADIENT_H_

#include <vector>

#include "converter/assign/table.h"
#include "converter/simulate/steps.h"

namespace octet::assign {

class Gradient {
 public:
  explicit Gradient(const simulate::Topology& topology) : topology_(topology) {}

  // Runs everything; inputs in the order of the graph's.
  void Load(std::vector<graph::Tensor> inputs);

  // Relative change of the outputs (root of simulate::MeanLoss) over that of the unit's result,
  // which moves by a small share of its root mean square, up or down for each number as `seed`
  // throws it.
  double Of(const Unit& unit, uint64_t seed);

 private:
  const simulate::Topology& topology_;
  std::vector<graph::Tensor> exact_;  // by value
  operators::Workspace workspace_;
};

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_GRADIENT_H_
