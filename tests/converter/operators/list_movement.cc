// Cases of operators that move, choose or make elements.
#include <algorithm>
#include <cmath>

#include "tests/converter/operators/list_support.h"

namespace octet::operators::list {

namespace {

Index Order(Draw& d, int64_t rank) {
  Index order;
  for (int64_t axis = 0; axis < rank; ++axis) order.push_back(axis);
  for (int64_t axis = rank - 1; axis > 0; --axis) {
    std::swap(order[static_cast<size_t>(axis)], order[static_cast<size_t>(d.Pick(0, axis))]);
  }
  return order;
}

Dense Shaped(const Dense& x, const Shape& shape) {
  Dense y = x;
  y.shape = shape;
  return y;
}

int64_t Count(const Shape& shape, size_t first, size_t last) {
  int64_t count = 1;
  for (size_t dim = first; dim < last; ++dim) count *= shape[dim];
  return count;
}

int64_t Rank(const Dense& x) {
  return static_cast<int64_t>(x.shape.size());
}

}  // namespace

void CaseTranspose(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 5));
  const Index order = Order(d, Rank(x));
  Shape shape;
  for (const int64_t axis : order) shape.push_back(x.shape[static_cast<size_t>(axis)]);
  Check("Transpose", {x}, {{"perm", order}}, {Make(shape, [&](const Index& i) {
          Index from(i.size());
          for (size_t k = 0; k < i.size(); ++k) from[static_cast<size_t>(order[k])] = i[k];
          return x.at(from);
        })});
}
void CaseReshape(Draw& d) {
  const Dense x = d.Floats(d.Dims(2, 4));
  Shape shape{x.shape[0], Count(x.shape, 1, x.shape.size())};
  Index to = shape;
  if (d.Chance(50)) to[0] = 0;
  if (d.Chance(50)) to[1] = -1;
  Check("Reshape", {x, List(to)}, {}, {Shaped(x, shape)});
}
void CaseFlatten(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4));
  const int64_t axis = d.Pick(0, Rank(x) - 1);
  const auto cut = static_cast<size_t>(axis);
  Check("Flatten", {x}, {{"axis", d.Sign(axis, Rank(x))}},
        {Shaped(x, {Count(x.shape, 0, cut), Count(x.shape, cut, x.shape.size())})});
}
void CaseSqueeze(Draw& d) {
  Shape kept = d.Dims(1, 3), shape = kept;
  const int64_t at = d.Pick(0, static_cast<int64_t>(kept.size()));
  shape.insert(shape.begin() + at, 1);
  const Dense x = d.Floats(shape);
  Check("Squeeze", {x, List({d.Sign(at, Rank(x))})}, {}, {Shaped(x, kept)});
}
void CaseUnsqueeze(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 3));
  const int64_t at = d.Pick(0, Rank(x));
  Shape shape = x.shape;
  shape.insert(shape.begin() + at, 1);
  Check("Unsqueeze", {x, List({d.Sign(at, Rank(x) + 1)})}, {}, {Shaped(x, shape)});
}
void CaseConcat(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = d.Pick(0, rank - 1);
  const auto dim = static_cast<size_t>(axis);
  std::vector<Dense> parts;
  Shape whole = shape;
  whole[dim] = 0;
  for (int64_t i = d.Pick(1, 3); i > 0; --i) {
    Shape part = shape;
    part[dim] = d.Pick(1, 4);
    whole[dim] += part[dim];
    parts.push_back(d.Floats(part));
  }
  Check("Concat", parts, {{"axis", d.Sign(axis, rank)}}, {Make(whole, [&](Index i) {
          for (const Dense& part : parts) {
            if (i[dim] < part.shape[dim]) return part.at(i);
            i[dim] -= part.shape[dim];
          }
          return 0.0;
        })});
}
void CaseSplit(Draw& d) {
  Shape shape = d.Dims(1, 4);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = d.Pick(0, rank - 1);
  const auto dim = static_cast<size_t>(axis);
  Index sizes{d.Pick(1, 4), d.Pick(1, 4)};
  if (d.Chance(50)) sizes.push_back(d.Pick(1, 4));
  shape[dim] = 0;
  for (const int64_t size : sizes) shape[dim] += size;
  const Dense x = d.Floats(shape);
  std::vector<Dense> parts;
  int64_t first = 0;
  for (const int64_t size : sizes) {
    Shape part = shape;
    part[dim] = size;
    parts.push_back(Make(part, [&](Index i) {
      i[dim] += first;
      return x.at(i);
    }));
    first += size;
  }
  Check("Split", {x, List(sizes)}, {{"axis", d.Sign(axis, rank)}}, parts);
}
void CaseSlice(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4, 7));
  const int64_t axis = d.Pick(0, Rank(x) - 1);
  const auto dim = static_cast<size_t>(axis);
  const int64_t size = x.shape[dim];
  const bool back = d.Chance(30);
  const int64_t step = d.Pick(1, 3), start = back ? size - 1 : d.Pick(0, size - 1);
  const int64_t end = back ? -size - 1 : d.Pick(start + 1, size);
  Shape shape = x.shape;
  shape[dim] = back ? (size - 1) / step + 1 : (end - start - 1) / step + 1;
  Check("Slice",
        {x, List({d.Chance(30) ? start - size : start}),
         List({back           ? end
               : d.Chance(30) ? end + 1000 * (end == size)
                              : end}),
         List({d.Sign(axis, Rank(x))}), List({back ? -step : step})},
        {}, {Make(shape, [&](Index i) {
          i[dim] = back ? start - step * i[dim] : start + step * i[dim];
          return x.at(i);
        })});
}
void CasePad(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4));
  static const char* const kModes[] = {"constant", "reflect", "edge", "wrap"};
  const std::string mode = kModes[d.Pick(0, 3)];
  Index pads(2 * x.shape.size());
  Shape shape = x.shape;
  for (size_t k = 0; k < x.shape.size(); ++k) {
    for (const size_t at : {k, k + x.shape.size()}) {
      const int64_t most = mode == "reflect" ? x.shape[k] - 1 : mode == "wrap" ? x.shape[k] : 3;
      pads[at] = d.Pick(0, std::min<int64_t>(3, most));
      shape[k] += pads[at];
    }
  }
  const Dense value = d.Floats({}).Constant();
  Check("Pad", {x, List(pads), value}, {{"mode", mode}}, {Make(shape, [&](Index i) {
          for (size_t k = 0; k < i.size(); ++k) {
            const int64_t n = x.shape[k];
            int64_t at = i[k] - pads[k];
            if (mode == "constant" && (at < 0 || at >= n)) return value.values[0];
            if (mode == "edge") at = std::max<int64_t>(0, std::min(n - 1, at));
            if (mode == "wrap") at = (at + n) % n;
            if (mode == "reflect" && at < 0) at = -at;
            if (mode == "reflect" && at >= n) at = 2 * (n - 1) - at;
            i[k] = at;
          }
          return x.at(i);
        })});
}
void CaseExpand(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense x = d.Floats(d.Narrow(shape));
  Check("Expand", {x, List(shape)}, {},
        {Make(shape, [&](const Index& i) { return x.Broadcast(i); })});
}
void CaseTile(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4));
  Index times;
  Shape shape = x.shape;
  for (int64_t& dim : shape) {
    times.push_back(d.Pick(1, 3));
    dim *= times.back();
  }
  Check("Tile", {x, List(times)}, {}, {Make(shape, [&](Index i) {
          for (size_t k = 0; k < i.size(); ++k) i[k] %= x.shape[k];
          return x.at(i);
        })});
}
void CaseGather(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 3));
  const int64_t axis = d.Pick(0, Rank(x) - 1), size = x.shape[static_cast<size_t>(axis)];
  const Dense places = d.Integers(d.Dims(0, 2, 3), -size, size - 1, DataType::kInt64).Constant();
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  shape.insert(shape.end(), places.shape.begin(), places.shape.end());
  shape.insert(shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  Check("Gather", {x, places}, {{"axis", d.Sign(axis, Rank(x))}}, {Make(shape, [&](const Index& i) {
          const auto first = i.begin() + axis, last = first + Rank(places);
          const auto place = static_cast<int64_t>(places.at(Index(first, last)));
          Index from(i.begin(), first);
          from.push_back(place < 0 ? place + size : place);
          from.insert(from.end(), last, i.end());
          return x.at(from);
        })});
}
void CaseGatherElements(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 3));
  const int64_t axis = d.Pick(0, Rank(x) - 1), size = x.shape[static_cast<size_t>(axis)];
  Shape shape = x.shape;
  shape[static_cast<size_t>(axis)] = d.Pick(1, 6);
  const Dense places = d.Integers(shape, -size, size - 1, DataType::kInt64).Constant();
  Check("GatherElements", {x, places}, {{"axis", d.Sign(axis, Rank(x))}},
        {Make(shape, [&](Index i) {
          const auto place = static_cast<int64_t>(places.at(i));
          i[static_cast<size_t>(axis)] = place < 0 ? place + size : place;
          return x.at(i);
        })});
}
void CaseGatherND(Draw& d) {
  const Dense x = d.Floats(d.Dims(2, 4));
  const int64_t batch = d.Pick(0, 1), depth = d.Pick(1, Rank(x) - batch), rows = d.Pick(1, 4);
  Shape places_shape(x.shape.begin(), x.shape.begin() + batch);
  places_shape.push_back(rows);
  Shape shape = places_shape;
  shape.insert(shape.end(), x.shape.begin() + batch + depth, x.shape.end());
  places_shape.push_back(depth);
  const Dense places = Make(
                           places_shape,
                           [&](const Index& i) {
                             const int64_t size = x.shape[static_cast<size_t>(batch + i.back())];
                             return static_cast<double>(d.Pick(-size, size - 1));
                           },
                           DataType::kInt64)
                           .Constant();
  Check("GatherND", {x, places}, {{"batch_dims", batch}}, {Make(shape, [&](const Index& i) {
          Index row(i.begin(), i.begin() + batch + 1), from(i.begin(), i.begin() + batch);
          row.push_back(0);
          for (int64_t k = 0; k < depth; ++k) {
            row.back() = k;
            const auto place = static_cast<int64_t>(places.at(row));
            from.push_back(place < 0 ? place + x.shape[static_cast<size_t>(batch + k)] : place);
          }
          from.insert(from.end(), i.begin() + batch + 1, i.end());
          return x.at(from);
        })});
}
void CaseScatterElements(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 3));
  const int64_t axis = d.Pick(0, Rank(x) - 1), size = x.shape[static_cast<size_t>(axis)];
  const bool add = d.Chance(50);
  Shape shape = x.shape;
  shape[static_cast<size_t>(axis)] = add ? d.Pick(1, size) : 1;
  const Dense places = d.Integers(shape, -size, size - 1, DataType::kInt64).Constant(),
              updates = d.Floats(shape);
  Dense y = x;
  ForEach(shape, [&](const Index& i) {
    Index to = i;
    const auto place = static_cast<int64_t>(places.at(i));
    to[static_cast<size_t>(axis)] = place < 0 ? place + size : place;
    int64_t offset = 0;
    for (size_t k = 0; k < to.size(); ++k) offset = offset * x.shape[k] + to[k];
    double& value = y.values[static_cast<size_t>(offset)];
    value = add ? value + updates.at(i) : updates.at(i);
  });
  Check("ScatterElements", {x, places, updates},
        {{"axis", d.Sign(axis, Rank(x))}, {"reduction", std::string(add ? "add" : "none")}}, {y});
}
void CaseScatterND(Draw& d) {
  const Dense x = d.Floats(d.Dims(2, 3));
  const int64_t rows = d.Pick(1, x.shape[0]);
  Dense places = List({});
  places.shape = {rows, 1};
  for (int64_t r = 0; r < rows; ++r) places.values.push_back(static_cast<double>(r));  // each once
  Shape shape = x.shape;
  shape[0] = rows;
  const Dense updates = d.Floats(shape);
  Check("ScatterND", {x, places, updates}, {},
        {Make(x.shape, [&](const Index& i) { return i[0] < rows ? updates.at(i) : x.at(i); })});
}
void CaseDepthToSpace(Draw& d) {
  const int64_t b = d.Pick(1, 3), c = d.Pick(1, 3);
  const bool rows_first = d.Chance(50);
  const Dense x = d.Floats({d.Pick(1, 2), c * b * b, d.Pick(1, 4), d.Pick(1, 4)});
  Check("DepthToSpace", {x}, {{"blocksize", b}, {"mode", std::string(rows_first ? "CRD" : "DCR")}},
        {Make({x.shape[0], c, x.shape[2] * b, x.shape[3] * b}, [&](const Index& i) {
          const int64_t phase = i[2] % b * b + i[3] % b;
          return x.at(
              {i[0], rows_first ? i[1] * b * b + phase : phase * c + i[1], i[2] / b, i[3] / b});
        })});
}
void CaseSpaceToDepth(Draw& d) {
  const int64_t b = d.Pick(1, 3), c = d.Pick(1, 3);
  const Dense x = d.Floats({d.Pick(1, 2), c, b * d.Pick(1, 4), b * d.Pick(1, 4)});
  Check("SpaceToDepth", {x}, {{"blocksize", b}},
        {Make({x.shape[0], c * b * b, x.shape[2] / b, x.shape[3] / b}, [&](const Index& i) {
          const int64_t phase = i[1] / c;
          return x.at({i[0], i[1] % c, i[2] * b + phase / b, i[3] * b + phase % b});
        })});
}
void CaseTrilu(Draw& d) {
  const Dense x = d.Floats(d.Dims(2, 4));
  const bool upper = d.Chance(50);
  const int64_t k = d.Pick(-2, 2);
  Dense diagonal = List({k});
  diagonal.shape = {};
  Check("Trilu", {x, diagonal}, {{"upper", int64_t{upper}}}, {Make(x.shape, [&](const Index& i) {
          const int64_t across = i[i.size() - 1] - i[i.size() - 2];
          return (upper ? across >= k : across <= k) ? x.at(i) : 0;
        })});
}
void CaseReverseSequence(Draw& d) {
  const Dense x = d.Floats(d.Dims(2, 3));
  const bool time_first = d.Chance(50);
  const size_t time = time_first ? 0 : 1, batch = 1 - time;
  const Dense lengths = d.Integers({x.shape[batch]}, 1, x.shape[time], DataType::kInt64).Constant();
  Check("ReverseSequence", {x, lengths},
        {{"time_axis", static_cast<int64_t>(time)}, {"batch_axis", static_cast<int64_t>(batch)}},
        {Make(x.shape, [&](Index i) {
          const int64_t length = lengths.Whole(static_cast<size_t>(i[batch]));
          if (i[time] < length) i[time] = length - 1 - i[time];
          return x.at(i);
        })});
}
void CaseCompress(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 3));
  const int64_t axis = d.Pick(0, Rank(x) - 1);
  const auto dim = static_cast<size_t>(axis);
  Dense chosen = d.Integers({x.shape[dim]}, 0, 1, DataType::kBool).Constant();
  chosen.values[0] = 1;
  Index places;
  for (size_t k = 0; k < chosen.values.size(); ++k) {
    if (chosen.values[k] != 0) places.push_back(static_cast<int64_t>(k));
  }
  Shape shape = x.shape;
  shape[dim] = static_cast<int64_t>(places.size());
  Check("Compress", {x, chosen}, {{"axis", d.Sign(axis, Rank(x))}}, {Make(shape, [&](Index i) {
          i[dim] = places[static_cast<size_t>(i[dim])];
          return x.at(i);
        })});
}
void CaseConstant(Draw& d) {
  const auto value = static_cast<float>(d.Between(-3, 3));
  Dense y;
  y.values = {value};
  Check("Constant", {}, {{"value_float", value}}, {y});
}
void CaseConstantOfShape(Draw& d) {
  const Shape shape = d.Dims(1, 3);
  const auto value = static_cast<float>(d.Between(-3, 3));
  Check("ConstantOfShape", {List(shape)}, {{"value", graph::Tensor::Floats({1}, {value})}},
        {Make(shape, [&](const Index&) { return value; })});
}
void CaseEyeLike(Draw& d) {
  const Dense x = d.Floats(d.Dims(2, 2));
  const int64_t k = d.Pick(-2, 2);
  Check("EyeLike", {x}, {{"k", k}},
        {Make(x.shape, [&](const Index& i) { return i[1] - i[0] == k; })});
}
void CaseRange(Draw& d) {
  const int64_t start = d.Pick(-5, 5), step = d.Pick(1, 3), count = d.Pick(1, 6);
  const bool down = d.Chance(50);
  const int64_t by = down ? -step : step;
  const auto scalar = [](int64_t value) {
    Dense dense = List({value});
    dense.shape = {};
    return dense;
  };
  Check("Range", {scalar(start), scalar(start + by * count), scalar(by)}, {},
        {Make(
            {count}, [&](const Index& i) { return static_cast<double>(start + by * i[0]); },
            DataType::kInt64)});
}
void CaseShape(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4));
  Dense y = List(x.shape);
  Check("Shape", {x}, {}, {y});
}
void CaseSize(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4));
  Dense y = List({Count(x.shape, 0, x.shape.size())});
  y.shape = {};
  Check("Size", {x}, {}, {y});
}
void CaseNonZero(Draw& d) {
  Dense x = d.Integers(d.Dims(1, 3), 0, 1).Constant();
  x.values[0] = 1;
  std::vector<Index> found;
  ForEach(x.shape, [&](const Index& i) {
    if (x.at(i) != 0) found.push_back(i);
  });
  Check(
      "NonZero", {x}, {},
      {Make(
          {Rank(x), static_cast<int64_t>(found.size())},
          [&](const Index& i) {
            return static_cast<double>(found[static_cast<size_t>(i[1])][static_cast<size_t>(i[0])]);
          },
          DataType::kInt64)});
}
void CaseOneHot(Draw& d) {
  const int64_t depth = d.Pick(2, 5);
  const Dense places = d.Integers(d.Dims(1, 2), -depth, depth - 1, DataType::kInt64);
  const Dense values = d.Floats({2}).Constant();
  const int64_t axis = d.Pick(0, Rank(places));
  Shape shape = places.shape;
  shape.insert(shape.begin() + axis, depth);
  Dense count = List({depth});
  count.shape = {};
  Check("OneHot", {places, count, values}, {{"axis", d.Sign(axis, Rank(places) + 1)}},
        {Make(shape, [&](const Index& i) {
          Index at = i;
          at.erase(at.begin() + axis);
          const auto place = (static_cast<int64_t>(places.at(at)) + depth) % depth;
          return values.values[place == i[static_cast<size_t>(axis)] ? 1 : 0];
        })});
}

}  // namespace octet::operators::list
