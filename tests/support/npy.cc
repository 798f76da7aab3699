#include "tests/support/npy.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace octet::test {
namespace {

template <typename T>
T Load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

double HalfToDouble(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

size_t ItemBytes(const std::string& type) {
  return static_cast<size_t>(std::stoul(type.substr(2)));
}

double Element(const Npy& npy, size_t index) {
  const std::string kind = npy.type.substr(1);
  const std::byte* at = npy.bytes.data() + index * ItemBytes(npy.type);
  if (kind == "f4") return Load<float>(at);
  if (kind == "u1" || kind == "b1") return Load<uint8_t>(at);
  if (kind == "i1") return Load<int8_t>(at);
  if (kind == "f8") return Load<double>(at);
  if (kind == "f2") return HalfToDouble(Load<uint16_t>(at));
  if (kind == "i4") return Load<int32_t>(at);
  if (kind == "i8") return static_cast<double>(Load<int64_t>(at));
  throw std::runtime_error("npy: type " + npy.type + " is not read here");
}

// The text between `key` and the character that ends its value.
std::string Field(const std::string& header, const std::string& key, char begin, char end) {
  const size_t found = header.find(key);
  if (found == std::string::npos) throw std::runtime_error("npy: header without " + key);
  const size_t first = header.find(begin, found + key.size());
  const size_t last = header.find(end, first + 1);
  if (last == std::string::npos) throw std::runtime_error("npy: bad header");
  return header.substr(first + 1, last - first - 1);
}

}  // namespace

int64_t Npy::Count() const {
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  return count;
}

std::vector<float> Npy::Floats(int64_t first, int64_t count) const {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(Element(*this, static_cast<size_t>(first) + i));
  }
  return values;
}

std::vector<int64_t> Npy::Integers() const {
  std::vector<int64_t> values(static_cast<size_t>(Count()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(Element(*this, i));
  return values;
}

Npy ReadNpy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string data((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = reinterpret_cast<const std::byte*>(data.data());
  if (data.size() < 12 || data.compare(1, 5, "NUMPY") != 0) {
    throw std::runtime_error(path.string() + ": not an .npy file");
  }
  const bool first_format = data[6] == 1;
  const size_t start = first_format ? 10 : 12;
  const size_t length = first_format ? Load<uint16_t>(bytes + 8) : Load<uint32_t>(bytes + 8);
  const std::string header = data.substr(start, length);
  Npy npy;
  npy.type = Field(header, "'descr':", '\'', '\'');
  std::string dims = Field(header, "'shape':", '(', ')');
  for (size_t at = 0; at < dims.size();) {
    size_t used = 0;
    npy.shape.push_back(std::stoll(dims.substr(at), &used));
    at = dims.find(',', at + used);
    if (at == std::string::npos) break;
    ++at;
    if (dims.find_first_of("0123456789", at) == std::string::npos) break;
  }
  npy.bytes.assign(bytes + start + length, bytes + data.size());
  if (npy.bytes.size() < static_cast<size_t>(npy.Count()) * ItemBytes(npy.type)) {
    throw std::runtime_error(path.string() + ": shorter than its header says");
  }
  return npy;
}

}  // namespace octet::test
