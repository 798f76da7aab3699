// Pad by nothing goes.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

bool RemoveNoopPad(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const auto pad = ReadPad(editor.graph(), node, editor.Rank(node.inputs[0]));
  if (!pad) return false;
  for (const auto& amounts : {pad->begin, pad->end}) {
    for (const int64_t amount : amounts) {
      if (amount != 0) return false;
    }
  }
  return editor.Bypass(n);
}

}  // namespace octet::passes
