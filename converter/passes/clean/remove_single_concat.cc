// Concat, Sum, Max and Min of one value are that value.
#include "converter/passes/editor.h"

namespace octet::passes {

bool RemoveSingleConcat(Editor& editor, int n) {
  return editor.At(n).inputs.size() == 1 && editor.Bypass(n);
}

}  // namespace octet::passes
