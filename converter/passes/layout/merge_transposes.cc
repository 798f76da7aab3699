// Transpose of a Transpose is one Transpose: result dimension i of the outer one is its input's
// perm2[i], which is the source's perm1[perm2[i]].
#include <vector>

#include "converter/passes/editor.h"

namespace octet::passes {

namespace {

std::vector<int64_t> Permutation(const Node& node, int64_t rank) {
  std::vector<int64_t> perm = node.Ints("perm");
  if (perm.empty()) {
    for (int64_t i = rank; i-- > 0;) perm.push_back(i);
  }
  return perm;
}

}  // namespace

bool MergeTransposes(Editor& editor, int n) {
  const ValueId middle = editor.At(n).inputs[0];
  const int inner = editor.ProducerIf(middle, "Transpose");
  if (inner < 0) return false;
  const int64_t rank = editor.Rank(middle);
  const auto outer_perm = Permutation(editor.At(n), rank);
  const auto inner_perm = Permutation(editor.At(inner), rank);
  std::vector<int64_t> merged;
  for (const int64_t axis : outer_perm) merged.push_back(inner_perm[static_cast<size_t>(axis)]);
  editor.SetInput(n, 0, editor.At(inner).inputs[0]);
  editor.At(n).attributes["perm"] = merged;
  if (editor.Consumers(middle).empty() && !editor.IsOutput(middle)) editor.Remove(inner);
  return true;
}

}  // namespace octet::passes
