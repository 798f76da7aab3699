// Numbers that are the same along axes of a value: from few to one for each element, and back.
#ifndef OCTET_CONVERTER_PASSES_SPREAD_H_
#define OCTET_CONVERTER_PASSES_SPREAD_H_

#include <optional>
#include <vector>

#include "converter/graph/tensor.h"

namespace octet::passes {

// One number for each element of `shape`, of numbers in the shape of `groups`: of the same rank or
// less, right-aligned, 1 along each axis that they do not depend on.
graph::Tensor Spread(const graph::Shape& groups, const std::vector<float>& numbers,
                     const graph::Shape& shape);

// The same numbers, with 1 for each axis along which they do not differ.
graph::Tensor Narrowed(const graph::Tensor& all);

bool IsOneNumber(const graph::Tensor& all);
// Whether they depend on axes 0 and 1 alone; there are more.
bool IsSameAllOver(const graph::Tensor& picture);
// One number for each place of axis 1, where they depend on nothing else.
std::optional<std::vector<float>> ByChannel(const graph::Tensor& all);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_SPREAD_H_
