#include "converter/passes/spread.h"

#include <algorithm>
#include <utility>

#include "converter/operators/output_view.h"

namespace octet::passes {
namespace {

using graph::Shape;
using graph::Tensor;

// Index into a tensor of `groups` for each element of `shape`.
std::vector<size_t> GroupOfElements(const Shape& few, const Shape& shape) {
  Shape groups(shape.size() - few.size(), 1);
  groups.insert(groups.end(), few.begin(), few.end());
  std::vector<int64_t> strides = operators::RowMajorStrides(groups);
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] == 1) strides[i] = 0;
  }
  std::vector<size_t> index;
  operators::ForEachPlace(shape, 0, strides, [&](size_t, size_t group) { index.push_back(group); });
  return index;
}

}  // namespace

Tensor Spread(const Shape& groups, const std::vector<float>& numbers, const Shape& shape) {
  std::vector<float> all;
  for (const size_t group : GroupOfElements(groups, shape)) all.push_back(numbers[group]);
  return Tensor::Floats(shape, std::move(all));
}

Tensor Narrowed(const Tensor& all) {
  Shape groups = all.shape;
  std::vector<float> numbers = all.floats;
  for (size_t axis = 0; axis < groups.size(); ++axis) {
    Shape fewer = groups;
    fewer[axis] = 1;
    std::vector<float> first(static_cast<size_t>(graph::ElementCount(fewer)));
    const std::vector<size_t> index = GroupOfElements(fewer, groups);
    for (size_t i = index.size(); i-- > 0;) first[index[i]] = numbers[i];
    bool same = true;
    for (size_t i = 0; i < index.size() && same; ++i) same = numbers[i] == first[index[i]];
    if (!same) continue;
    groups = std::move(fewer);
    numbers = std::move(first);
  }
  return Tensor::Floats(std::move(groups), std::move(numbers));
}

bool IsOneNumber(const Tensor& part) {
  return std::all_of(part.floats.begin(), part.floats.end(),
                     [&part](float number) { return number == part.floats[0]; });
}

bool IsSameAllOver(const Tensor& picture) {
  const Shape& shape = picture.shape;
  if (shape.size() < 3) return false;
  const auto inner =
      static_cast<size_t>(picture.Count() / std::max<int64_t>(1, shape[0] * shape[1]));
  for (size_t i = 0; i < picture.floats.size(); ++i) {
    if (picture.floats[i] != picture.floats[i / inner * inner]) return false;
  }
  return true;
}

std::optional<std::vector<float>> ByChannel(const Tensor& part) {
  const Tensor narrow = Narrowed(part);
  for (size_t axis = 0; axis < narrow.shape.size(); ++axis) {
    if (axis != 1 && narrow.shape[axis] != 1) return std::nullopt;
  }
  const auto count = static_cast<size_t>(part.shape[1]);
  if (narrow.floats.size() == count) return narrow.floats;
  return std::vector<float>(count, narrow.floats[0]);
}

}  // namespace octet::passes
