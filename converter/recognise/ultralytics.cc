#include "converter/recognise/ultralytics.h"

#include <cctype>
#include <cstdint>

namespace octet::recognise {
namespace {

// Reads one after the other; each call says whether its part was there.
class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}

  bool Take(char wanted) {
    Skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool Number(uint64_t* number) {
    Skip();
    const size_t begin = at_;
    *number = 0;
    for (; at_ < text_.size() && at_ - begin < 9 && IsDigit(text_[at_]); ++at_) {
      *number = *number * 10 + static_cast<uint64_t>(text_[at_] - '0');
    }
    return at_ > begin;
  }
  // In either kind of quotes, with the escapes that repr() makes of quotes and backslashes.
  bool String(std::string* string) {
    Skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    const char quote = text_[at_++];
    string->clear();
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
        if (at_ >= text_.size() || (text_[at_] != quote && text_[at_] != '\\')) return false;
      }
      *string += text_[at_];
    }
    return Take(quote);
  }
  bool Done() {
    Skip();
    return at_ == text_.size();
  }

 private:
  static bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  void Skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  const std::string& text_;
  size_t at_ = 0;
};

std::string ValueOf(const Metadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

}  // namespace

std::optional<std::vector<std::string>> ReadNames(const std::string& text) {
  Scanner scan(text);
  std::vector<std::string> names;
  if (!scan.Take('{')) return std::nullopt;
  do {
    uint64_t number = 0;
    std::string name;
    if (!scan.Number(&number) || number != names.size() || !scan.Take(':') || !scan.String(&name)) {
      return std::nullopt;
    }
    names.push_back(std::move(name));
  } while (scan.Take(','));
  if (!scan.Take('}') || !scan.Done()) return std::nullopt;
  return names;
}

std::optional<Ultralytics> ReadUltralytics(const Metadata& metadata) {
  if (ValueOf(metadata, "author") != "Ultralytics") return std::nullopt;
  auto names = ReadNames(ValueOf(metadata, "names"));
  Ultralytics read;
  read.task = ValueOf(metadata, "task");
  if (!names || read.task.empty()) return std::nullopt;
  read.names = std::move(*names);
  read.finished_boxes = ValueOf(metadata, "end2end") == "True" ||
                        ValueOf(metadata, "args").find("'nms': True") != std::string::npos;
  return read;
}

}  // namespace octet::recognise
