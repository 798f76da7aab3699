// Bounds of what a value can hold, whatever the inputs of the graph are.
#ifndef OCTET_CONVERTER_PASSES_BOUNDS_H_
#define OCTET_CONVERTER_PASSES_BOUNDS_H_

#include "converter/passes/editor.h"

namespace octet::passes {

// Closed; infinite where nothing is known. Right to the rounding of float.
struct Bounds {
  float low, high;
};

// Of a value: the range of its codes where the model gives them, else what its producer can make of
// the bounds of its own inputs.
Bounds BoundsOf(const Editor& editor, ValueId id);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_BOUNDS_H_
