// The steps of those models that move, pool, resize and cut.
#include <algorithm>
#include <cmath>

#include "tests/converter/oracle/random_qdq.h"

namespace octet::test {

namespace {

constexpr int64_t kMostElements = 6000;  // of a value

int64_t ElementsOf(const Dims& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

}  // namespace

void RandomQdq::Pool() {
  const Entry in = Image();
  Window window{Pick(2, 3), Pick(1, 2), Pick(0, 1), 1};
  if (std::min(in.shape[2], in.shape[3]) < 3) return;
  Attributes attributes = window.Of(1);
  attributes.erase("group");
  attributes.erase("dilations");
  const Dims shape{1, in.shape[1], window.Extent(in.shape[2]), window.Extent(in.shape[3])};
  if (Chance(55)) {
    Entry entry = in;
    entry.shape = shape;
    entry.deviation *= 1.2f;
    if (!in.codes.empty() && Chance(50)) {
      entry.codes = Op("MaxPool", {in.codes}, attributes);
      entry.real = Dequantize(entry.codes, in.scheme);
      return Push("MaxPool of codes", entry);
    }
    const std::string y = Op("MaxPool", {Real(in)}, attributes);
    if (in.quantized && Chance(60)) {
      entry.codes = Quantize(y, in.scheme);
      entry.real = Dequantize(entry.codes, in.scheme);
      return Push("MaxPool at its scheme", entry);
    }
    return Push("MaxPool", Fake(y, shape, entry.deviation, in.positive));
  }
  attributes["count_include_pad"] = Int(Pick(0, 1));
  Push("AveragePool", Fake(Op("AveragePool", {Real(in)}, attributes), shape,
                           in.deviation * (in.positive ? 1 : 0.5f), in.positive));
}

// Data that moves, as codes or as real values.
void RandomQdq::Move() {
  const Entry in = Image();
  const int64_t c = in.shape[1], h = in.shape[2], w = in.shape[3];
  const bool codes = !in.codes.empty() && Chance(60);
  const std::string x = codes ? in.codes : Real(in);
  Entry entry = in;
  std::string y, text;
  switch (Pick(0, 3)) {
    case 0:
      text = "Transpose";
      y = Op("Transpose", {x}, {{"perm", Dims{0, 1, 3, 2}}});
      entry.shape = {1, c, w, h};
      break;
    case 1: {
      text = "Transposes";
      y = Op("Transpose", {Op("Transpose", {x}, {{"perm", Dims{0, 2, 3, 1}}})},
             {{"perm", Dims{0, 3, 1, 2}}});
      break;
    }
    case 2: {
      text = "Reshape";
      const std::string to =
          model_.Initializer(model_.Unique("shape"), {4}, Dims{1, c * h, w, 1}).name();
      y = Op("Reshape", {x, to});
      entry.shape = {1, c * h, w, 1};
      break;
    }
    default:
      if (h % 2 != 0 || w % 2 != 0) return;
      text = "SpaceToDepth";
      y = Op("SpaceToDepth", {codes ? Real(in) : x}, {{"blocksize", Int(2)}});
      entry.shape = {1, c * 4, h / 2, w / 2};
      return Push(text, Fake(y, entry.shape, in.deviation, in.positive));
  }
  if (codes) {
    entry.codes = y;
    entry.real = Dequantize(y, in.scheme);
    return Push(text + " of codes", entry);
  }
  if (in.quantized && Chance(70)) {
    entry.codes = Quantize(y, in.scheme);
    entry.real = Dequantize(entry.codes, in.scheme);
    return Push(text, entry);
  }
  Push(text, Fake(y, entry.shape, in.deviation, in.positive));
}

void RandomQdq::Scale() {
  const Entry in = Image();
  const int64_t factor = Pick(1, 2) * 2 / 2 + 1;
  const Dims shape{1, in.shape[1], in.shape[2] * factor, in.shape[3] * factor};
  if (ElementsOf(shape) > kMostElements) return;
  const std::string factors =
      Floats({4}, {1, 1, static_cast<float>(factor), static_cast<float>(factor)});
  const bool linear = Chance(50);
  const Attributes attributes{
      {"mode", std::string(linear ? "linear" : "nearest")},
      {"coordinate_transformation_mode", std::string(linear ? "half_pixel" : "asymmetric")},
      {"nearest_mode", std::string("floor")}};
  Entry entry = in;
  entry.shape = shape;
  if (!linear && !in.codes.empty() && Chance(40)) {
    entry.codes = Op("Resize", {in.codes, "", factors}, attributes);
    entry.real = Dequantize(entry.codes, in.scheme);
    return Push("Resize of codes", entry);
  }
  const std::string y = Op("Resize", {Real(in), "", factors}, attributes);
  if (in.quantized && Chance(60)) {
    entry.codes = Quantize(y, in.scheme);
    entry.real = Dequantize(entry.codes, in.scheme);
    return Push(linear ? "Resize linear" : "Resize", entry);
  }
  Push(linear ? "Resize linear" : "Resize", Fake(y, shape, in.deviation, in.positive));
}

// Split and Pad.
void RandomQdq::Cut() {
  const Entry in = Image();
  Entry entry = in;
  const bool codes = !in.codes.empty() && Chance(50);
  const std::string x = codes ? in.codes : Real(in);
  const int64_t c = in.shape[1];
  if (c >= 2 && Chance(60)) {
    const int64_t first = Pick(1, c - 1);
    const std::string sizes =
        model_.Initializer(model_.Unique("sizes"), {2}, Dims{first, c - first}).name();
    const std::string a = model_.Unique("part"), b = model_.Unique("part");
    model_.Node("Split", {x, sizes}, {{"axis", Int(1)}}, {a, b});
    for (const bool second : {false, true}) {
      Entry part = in;
      part.shape[1] = second ? c - first : first;
      const std::string& name = second ? b : a;
      if (codes) {
        part.codes = name;
        part.real = Dequantize(name, in.scheme);
      } else if (in.quantized && Chance(60)) {
        part.codes = Quantize(name, in.scheme);
        part.real = Dequantize(part.codes, in.scheme);
      } else {
        part = Fake(name, part.shape, in.deviation, in.positive);
      }
      Push(codes ? "Split of codes" : "Split", part);
    }
    return;
  }
  const int64_t t = Pick(0, 2), l = Pick(0, 2), bottom = Pick(0, 2), r = Pick(0, 2);
  const std::string pads =
      model_.Initializer(model_.Unique("pads"), {8}, Dims{0, 0, t, l, 0, 0, bottom, r}).name();
  entry.shape = {1, c, in.shape[2] + t + bottom, in.shape[3] + l + r};
  if (ElementsOf(entry.shape) > kMostElements) return;
  static const char* const kModes[] = {"constant", "reflect", "edge"};
  const int64_t mode = in.shape[2] > 2 && in.shape[3] > 2 ? Pick(0, 2) : 0;
  if (codes) {
    const std::string value =
        Codes({}, {in.scheme.zero}, in.scheme.is_signed ? 3 : 2);  // TensorProto.DataType
    entry.codes = Op("Pad", {x, pads, value}, {{"mode", std::string(kModes[mode])}});
    entry.real = Dequantize(entry.codes, in.scheme);
    return Push("Pad of codes", entry);
  }
  const std::string y = Op("Pad", {x, pads}, {{"mode", std::string(kModes[mode])}});
  Push("Pad", Fake(y, entry.shape, in.deviation, in.positive));
}

}  // namespace octet::test
