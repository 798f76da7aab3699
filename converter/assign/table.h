// What there is to choose between: for every unit of a graph its time in both precisions and what
// it costs the outputs to run it in int8.
//
// A unit is what shares one precision: a layer with its activation, or an operator without weights
// that rounds its own result. An assignment says which units run in FP16. Of an assignment a:
//
//   time(a) = sum over units of (fp16_ns or int8_ns) + sum of the borders whose two units differ
//   loss(a) = sum of the losses of the units in int8
//
// The loss is additive because rounding errors of different layers are independent: their energies
// add at the outputs as long as they are small. The time is additive because layers run one after
// another. Both are the table's own: what an assignment does to a model is measured afterwards.
#ifndef OCTET_CONVERTER_ASSIGN_TABLE_H_
#define OCTET_CONVERTER_ASSIGN_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/format/blob.h"

namespace octet::assign {

struct Unit {
  std::string name;           // its first node: what `layers:` of a configuration calls it
  std::vector<size_t> nodes;  // of the graph, ascending
  uint64_t macs = 0;
  int64_t int8_ns = 0, fp16_ns = 0;
  double loss = 0;            // of the outputs when it alone runs in int8: share of their energy
  double standard_error = 0;  // of `loss`, over the samples
  double answer_loss = 0;     // the mean square of 1 - agreement; 0 without a judge
  double gradient = 0;        // sensitivity.h
  bool sensitive = false;     // by its loss
  bool steep = false;         // by its gradient
  std::optional<blob::Precision> fixed;  // not to be chosen
};

// Paid when the units run in different precisions: the conversion between them.
struct Border {
  size_t from = 0, to = 0;  // units, from < to
  int64_t ns = 0;           // not negative
};

struct Table {
  std::vector<Unit> units;  // in the order of execution
  std::vector<Border> borders;
};

// By unit: it runs in FP16.
using Assignment = std::vector<bool>;

struct Figures {
  int64_t ns = 0;
  double loss = 0;
};
Figures Evaluate(const Table& table, const Assignment& assignment);

// Every unit in int8, or in FP16, but those that are fixed.
Assignment AllInt8(const Table& table);
Assignment AllFp16(const Table& table);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_TABLE_H_
