// A line of data movements built node by node, with shapes and constants filled in.
#ifndef OCTET_CONVERTER_PASSES_CHAIN_H_
#define OCTET_CONVERTER_PASSES_CHAIN_H_

#include <string>
#include <vector>

#include "converter/passes/editor.h"

namespace octet::passes {

// Starts at a value of known shape; new nodes stand before `node` and carry its name. What would
// change nothing adds no node. A copy is a branch.
class Chain {
 public:
  Chain(Editor& editor, int node, ValueId start);

  ValueId value() const { return value_; }
  const Shape& shape() const { return shape_; }

  void Reshape(const Shape& shape);
  void Transpose(const std::vector<int64_t>& perm);
  // [begin, end) in steps, along one axis.
  void Slice(size_t axis, int64_t begin, int64_t end, int64_t step = 1);
  void PadWithZeros(size_t axis, int64_t before, int64_t after);
  // Of chains that have the same shape but for the axis.
  void Concat(const std::vector<Chain>& parts, size_t axis);
  // A new node over this value and these further inputs.
  int Op(const std::string& op, const Shape& result, const std::vector<ValueId>& others = {});
  // An existing node takes this value as its first input; the chain goes on behind it.
  // keeps_scheme: what follows only moves the result, so that a scheme given for what the node
  // wrote is its own.
  void Through(int node, const Shape& result, bool keeps_scheme = true);
  // What comes last writes `result`; an Identity where there is nothing.
  void EndIn(ValueId result);

 private:
  ValueId Constant(const char* what, std::vector<int64_t> values);

  Editor* editor_;
  int node_;
  int last_ = -1;  // node that writes value_, when it is ours
  std::string name_;
  ValueId value_;
  Shape shape_;
};

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_CHAIN_H_
