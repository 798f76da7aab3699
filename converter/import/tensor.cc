#include "converter/import/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "converter/import/external_data.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX raw data is little-endian");

using onnx::TensorProto;

constexpr uint64_t kMaxElements = uint64_t{1} << 40;

struct Element {
  int type;
  const char* name;
  uint32_t bytes;  // in raw data; 0: refused
  graph::DataType data_type;
};

// Wide unsigned types go to the next signed type that holds them: the graph keeps all integers
// wide.
constexpr Element kElements[] = {
    {TensorProto::FLOAT, "float", 4, graph::DataType::kFloat},
    {TensorProto::FLOAT16, "float16", 2, graph::DataType::kFloat},
    {TensorProto::BFLOAT16, "bfloat16", 2, graph::DataType::kFloat},
    {TensorProto::DOUBLE, "double", 8, graph::DataType::kFloat},
    {TensorProto::INT8, "int8", 1, graph::DataType::kInt8},
    {TensorProto::UINT8, "uint8", 1, graph::DataType::kUInt8},
    {TensorProto::BOOL, "bool", 1, graph::DataType::kBool},
    {TensorProto::INT16, "int16", 2, graph::DataType::kInt16},
    {TensorProto::UINT16, "uint16", 2, graph::DataType::kUInt16},
    {TensorProto::INT32, "int32", 4, graph::DataType::kInt32},
    {TensorProto::UINT32, "uint32", 4, graph::DataType::kInt64},
    {TensorProto::INT64, "int64", 8, graph::DataType::kInt64},
    {TensorProto::UINT64, "uint64", 8, graph::DataType::kInt64},
    {TensorProto::UNDEFINED, "undefined", 0, graph::DataType::kFloat},
    {TensorProto::STRING, "string", 0, graph::DataType::kFloat},
    {TensorProto::COMPLEX64, "complex64", 0, graph::DataType::kFloat},
    {TensorProto::COMPLEX128, "complex128", 0, graph::DataType::kFloat},
    // Newer than the schema we compile against.
    {17, "float8e4m3fn", 0, graph::DataType::kFloat},
    {18, "float8e4m3fnuz", 0, graph::DataType::kFloat},
    {19, "float8e5m2", 0, graph::DataType::kFloat},
    {20, "float8e5m2fnuz", 0, graph::DataType::kFloat},
    {21, "uint4", 0, graph::DataType::kFloat},
    {22, "int4", 0, graph::DataType::kFloat},
    {23, "float4e2m1", 0, graph::DataType::kFloat},
};

const Element* FindElement(int type) {
  for (const Element& element : kElements) {
    if (element.type == type) return &element;
  }
  return nullptr;
}

float FromBfloat16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

// IEEE binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. Exact: binary32 holds every value.
float FromFloat16(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide_exponent = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

// Finite doubles beyond float become its largest value: they are limits ("no maximum"), and an
// infinity would be another thing.
float FromDouble(double value) {
  constexpr double kMax = std::numeric_limits<float>::max();
  if (std::isfinite(value) && std::fabs(value) > kMax) {
    return static_cast<float>(std::copysign(kMax, value));
  }
  return static_cast<float>(value);
}

// One tensor on its way: header checked first, then the bytes found, then converted one by one.
class Reader {
 public:
  Reader(TensorProto& tensor, const std::string& what, const std::filesystem::path& folder,
         Narrowing narrowing)
      : tensor_(tensor), what_(what), narrowing_(narrowing), element_(Supported()) {
    if (tensor.has_segment()) {
      Fail("{}: data in segments are not supported; export the model again", what);
    }
    result_.type = element_.data_type;
    result_.shape.assign(tensor.dims().begin(), tensor.dims().end());
    const uint64_t count = CheckedCount(result_.shape, what);
    const uint64_t wanted_bytes = count * element_.bytes;
    count_ = static_cast<size_t>(count);
    if (tensor.data_location() == TensorProto::EXTERNAL) {
      bytes_ = ReadExternalData(tensor, what, folder, wanted_bytes);
      raw_ = true;
    } else if (tensor.has_raw_data()) {
      if (tensor.raw_data().size() != wanted_bytes) {
        Fail("{}: {} bytes of data, but shape {} of {} needs {}; export the model again", what,
             tensor.raw_data().size(), graph::ToString(result_.shape), element_.name, wanted_bytes);
      }
      bytes_ = std::move(*tensor.mutable_raw_data());
      tensor.clear_raw_data();
      raw_ = true;
    }
  }

  graph::Tensor Read() {
    switch (element_.type) {
      case TensorProto::FLOAT:
        Floats<float>(tensor_.float_data(), [](float v) { return v; });
        break;
      case TensorProto::FLOAT16:
        Floats<uint16_t>(tensor_.int32_data(), FromFloat16);
        break;
      case TensorProto::BFLOAT16:
        Floats<uint16_t>(tensor_.int32_data(), FromBfloat16);
        break;
      case TensorProto::DOUBLE:
        Floats<double>(tensor_.double_data(), FromDouble);
        break;
      case TensorProto::INT8:
        Integers<int8_t>(tensor_.int32_data());
        break;
      case TensorProto::UINT8:
        Integers<uint8_t>(tensor_.int32_data());
        break;
      case TensorProto::INT16:
        Integers<int16_t>(tensor_.int32_data());
        break;
      case TensorProto::UINT16:
        Integers<uint16_t>(tensor_.int32_data());
        break;
      case TensorProto::INT32:
        Integers<int32_t>(tensor_.int32_data());
        break;
      case TensorProto::UINT32:
        Integers<uint32_t>(tensor_.uint64_data());
        break;
      case TensorProto::INT64:
        Integers<int64_t>(tensor_.int64_data());
        break;
      case TensorProto::UINT64:
        Integers<uint64_t>(tensor_.uint64_data());
        break;
      default:
        Integers<uint8_t>(tensor_.int32_data());
        break;  // bool
    }
    return std::move(result_);
  }

 private:
  const Element& Supported() const {
    const Element* element = FindElement(tensor_.data_type());
    if (element == nullptr || element->bytes == 0) {
      Fail("{}: element type {} is not supported; convert the model to float", what_,
           ElementName(tensor_.data_type()));
    }
    return *element;
  }

  template <typename T, typename Field, typename Convert>
  void Floats(const Field& field, Convert convert) {
    Take<T>(field, result_.floats, convert);
  }

  template <typename T, typename Field>
  void Integers(const Field& field) {
    Take<T>(field, result_.integers, [this](T value) -> int64_t {
      if (element_.type == TensorProto::BOOL) return value != 0;
      // What exceeds int64 exceeds INT32 all the more.
      const int64_t wide = std::in_range<int64_t>(value) ? static_cast<int64_t>(value)
                                                         : std::numeric_limits<int64_t>::max();
      return Narrow(wide, narrowing_, what_);
    });
  }

  template <typename T, typename Field, typename Values, typename Convert>
  void Take(const Field& field, Values& values, Convert convert) {
    if (!raw_ && static_cast<size_t>(field.size()) != count_) {
      Fail("{}: {} values of data, but shape {} needs {}; export the model again", what_,
           field.size(), graph::ToString(result_.shape), count_);
    }
    values.resize(count_);
    for (size_t i = 0; i < count_; ++i) {
      T value;
      if (raw_) {
        std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
      } else {
        value = static_cast<T>(field.Get(static_cast<int>(i)));
      }
      values[i] = convert(value);
    }
  }

  TensorProto& tensor_;
  const std::string& what_;
  Narrowing narrowing_;
  const Element& element_;
  graph::Tensor result_;
  size_t count_ = 0;
  bool raw_ = false;
  std::string bytes_;
};

}  // namespace

std::string ElementName(int element_type) {
  const Element* element = FindElement(element_type);
  return element != nullptr ? element->name : fmt::format("{} (unknown)", element_type);
}

std::optional<graph::DataType> ToDataType(int element_type) {
  const Element* element = FindElement(element_type);
  if (element == nullptr || element->bytes == 0) return std::nullopt;
  return element->data_type;
}

uint64_t CheckedCount(const graph::Shape& shape, const std::string& what) {
  uint64_t count = 1;
  bool too_large = false;
  for (int64_t dim : shape) {
    if (dim < 0) Fail("{}: dimension {} is negative; export the model again", what, dim);
    // A zero further on would hide the overflow, so the product skips zeros.
    const uint64_t factor = dim == 0 ? 1 : static_cast<uint64_t>(dim);
    too_large = too_large || factor > kMaxElements / count;
    if (!too_large) count *= factor;
  }
  if (too_large) {
    Fail("{}: shape {} has more than 2^40 elements; export the model again", what,
         graph::ToString(shape));
  }
  for (int64_t dim : shape) {
    if (dim == 0) return 0;
  }
  return count;
}

int64_t Narrow(int64_t value, Narrowing narrowing, const std::string& what) {
  constexpr int64_t kLow = std::numeric_limits<int32_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int32_t>::max();
  if (value >= kLow && value <= kHigh) return value;
  if (narrowing == Narrowing::kSaturate) return value < kLow ? kLow : kHigh;
  Fail(
      "{}: value {} does not fit int32, the integer type of the board; change the model to keep it "
      "within {} to {}",
      what, value, kLow, kHigh);
}

graph::Tensor ReadTensor(TensorProto& tensor, const std::string& what,
                         const std::filesystem::path& folder, Narrowing narrowing) {
  return Reader(tensor, what, folder, narrowing).Read();
}

}  // namespace octet::import
