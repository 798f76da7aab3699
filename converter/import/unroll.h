// Loop and Scan with a known number of steps: the nodes of one step after the other.
#ifndef OCTET_CONVERTER_IMPORT_UNROLL_H_
#define OCTET_CONVERTER_IMPORT_UNROLL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"
#include "converter/import/inline_graph.h"

namespace octet::import {

class Unroll {
 public:
  // most: the trip count; nullopt: the condition alone ends the loop. Throws UserError, without the
  // name of the node, where the body does not fit the node.
  static Unroll OfLoop(const onnx::NodeProto& node, std::optional<int64_t> most,
                       const std::string& prefix);
  // Of opset 9 and newer. shapes: of the scan inputs.
  static Unroll OfScan(const onnx::NodeProto& node, const std::vector<graph::Shape>& shapes,
                       const std::string& prefix);

  // Whether there is a next step, if the condition holds.
  bool HasNext() const { return !steps_ || done_ < *steps_; }
  // The steps left, if the condition holds that long; nullopt: no number says so.
  std::optional<int64_t> Left() const;
  // Nodes of one step.
  int NodesOfAStep() const;
  // The value that says whether there is a next step; empty: there is.
  const std::string& condition() const { return condition_; }

  void Step(Namer* namer, Inlined* to);
  // The results under the names that the node gives them.
  void Finish(Namer* namer, Inlined* to) const;

 private:
  struct Slices {
    std::string from;
    int64_t axis = 0, length = 0;
    bool backwards = false;
  };
  struct Rows {
    int64_t axis = 0;
    bool backwards = false;
    std::vector<std::string> names;
  };

  Unroll(const onnx::NodeProto& node, const std::string& prefix);
  void ReadCarried(int first_input, size_t count);
  void SplitBody();

  onnx::NodeProto node_;  // without its graph
  std::string prefix_;
  onnx::GraphProto fixed_;  // what is the same in all steps
  onnx::GraphProto body_;   // what differs
  Names names_;             // of what is the same in all steps
  bool is_loop_ = false;
  std::string condition_;
  std::optional<int64_t> steps_;
  int64_t done_ = 0;
  std::vector<std::string> carried_;  // by state: the value after the last step
  std::vector<Slices> slices_;
  std::vector<Rows> rows_;
};

// Scan of opset 8 has a batch: one Scan of opset 9 for each sample, and what joins their results.
// batch: the first dimension of its inputs. Throws as above.
void SplitBatchOfScan(const onnx::NodeProto& node, int64_t batch, const std::string& prefix,
                      Namer* namer, Inlined* to);

// To what an int32 holds: exporters write the largest number of 64 bits where the condition alone
// ends a loop.
void ClampTripCount(onnx::TensorProto* tensor);

// The first scan input among the inputs of a Scan.
int FirstScanInput(const onnx::NodeProto& node);

// The graph of a Loop or Scan; null: it has none.
const onnx::GraphProto* BodyOf(const onnx::NodeProto& node);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_UNROLL_H_
