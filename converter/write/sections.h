// Growing contents of the sections: deduplicated data, interned strings, aligned records.
#ifndef OCTET_CONVERTER_WRITE_SECTIONS_H_
#define OCTET_CONVERTER_WRITE_SECTIONS_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "runtime/format/blob.h"

namespace octet::write {

// Bytes with an alignment; runs that are equal are stored once, so that plans share what they agree
// on.
class DataPool {
 public:
  explicit DataPool(uint32_t alignment) : alignment_(alignment) {}

  blob::DataRef Add(const std::vector<uint8_t>& bytes) {
    if (bytes.empty()) return blob::DataRef{blob::kNone, 0};
    const std::string key(bytes.begin(), bytes.end());
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    while (data_.size() % alignment_ != 0) data_.push_back(0);
    const blob::DataRef ref{static_cast<uint32_t>(data_.size()),
                            static_cast<uint32_t>(bytes.size())};
    data_.insert(data_.end(), bytes.begin(), bytes.end());
    known_.emplace(key, ref);
    return ref;
  }
  const std::vector<uint8_t>& data() const { return data_; }

 private:
  uint32_t alignment_;
  std::vector<uint8_t> data_;
  std::map<std::string, blob::DataRef> known_;
};

class StringPool {
 public:
  StringPool() : data_(1, 0) { known_[""] = 0; }

  uint32_t Add(const std::string& text) {
    const std::string clean = text.c_str();  // a name cannot hold a zero byte
    const auto [it, added] = known_.emplace(clean, static_cast<uint32_t>(data_.size()));
    if (added) data_.insert(data_.end(), clean.c_str(), clean.c_str() + clean.size() + 1);
    return it->second;
  }
  const std::vector<uint8_t>& data() const { return data_; }

 private:
  std::vector<uint8_t> data_;
  std::map<std::string, uint32_t> known_;
};

// Appends records, 8-byte aligned; returns the offset of the first.
template <typename Record>
uint32_t Append(const std::vector<Record>& records, std::vector<uint8_t>* section) {
  while (section->size() % 8 != 0) section->push_back(0);
  const auto offset = static_cast<uint32_t>(section->size());
  section->resize(section->size() + records.size() * sizeof(Record));
  if (!records.empty())
    std::memcpy(section->data() + offset, records.data(), records.size() * sizeof(Record));
  return offset;
}

}  // namespace octet::write

#endif  // OCTET_CONVERTER_WRITE_SECTIONS_H_
