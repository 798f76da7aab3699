#include "converter/metadata/literal.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace octet::metadata {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostLevels = 16;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// False for what is no character: halves of a pair, numbers above the last one, and 0, which ends a
// string in a blob.
bool AddUtf8(uint32_t code, std::string* text) {
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  const auto add = [text](uint32_t byte) { *text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | code >> 6);
    add(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
    add(0x80 | (code & 0x3f));
  } else {
    add(0xf0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f));
    add(0x80 | (code & 0x3f));
  }
  return true;
}

// Each function says whether its part was there.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Value(int level, Json* value) {
    Skip();
    if (level > kMostLevels || Ends()) return false;
    const char c = text_[at_];
    if (c == '{') return Dictionary(level, value);
    if (c == '[' || c == '(') return List(level, c == '[' ? ']' : ')', value);
    if (c == '\'' || c == '"') {
      std::string string;
      if (!String(&string)) return false;
      *value = std::move(string);
      return true;
    }
    return Word(value) || Number(value);
  }
  bool Done() {
    Skip();
    return Ends();
  }

 private:
  bool Ends() const { return at_ >= text_.size(); }
  void Skip() {
    while (!Ends() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool Take(char wanted) {
    Skip();
    if (Ends() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool Word(Json* value) {
    const std::pair<std::string_view, Json> words[] = {{"True", true},    {"true", true},
                                                       {"False", false},  {"false", false},
                                                       {"None", nullptr}, {"null", nullptr}};
    for (const auto& [word, meaning] : words) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      *value = meaning;
      return true;
    }
    return false;
  }

  bool Number(Json* value) {
    const size_t begin = at_;
    bool whole = true;
    if (!Ends() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    for (; !Ends(); ++at_) {
      const char c = text_[at_];
      const bool exponent = at_ > begin && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
      if (!IsDigit(c) && c != '.' && c != 'e' && c != 'E' && !(exponent && (c == '-' || c == '+')))
        break;
      whole = whole && IsDigit(c);
    }
    const char* const first = text_.data() + begin + (text_.substr(begin, 1) == "+" ? 1 : 0);
    const char* const last = text_.data() + at_;
    int64_t number = 0;
    if (whole) {
      const auto [end, error] = std::from_chars(first, last, number);
      *value = number;
      return first != last && error == std::errc() && end == last;
    }
    double real = 0;
    const auto [end, error] = std::from_chars(first, last, real);
    *value = real;
    return error == std::errc() && end == last && std::isfinite(real);
  }

  bool Hex(size_t digits, uint32_t* code) {
    if (text_.size() - at_ < digits) return false;
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, first + digits, *code, 16);
    at_ += digits;
    return error == std::errc() && end == first + digits;
  }

  // Four digits; JSON writes what they do not hold as two halves.
  bool ShortUnicode(std::string* string) {
    uint32_t code = 0, low = 0;
    if (!Hex(4, &code)) return false;
    if (code < 0xd800 || code >= 0xdc00) return AddUtf8(code, string);
    if (text_.substr(at_, 2) != "\\u") return false;
    at_ += 2;
    if (!Hex(4, &low) || low < 0xdc00 || low >= 0xe000) return false;
    return AddUtf8(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), string);
  }

  bool Octal(std::string* string) {
    uint32_t code = 0;
    for (int i = 0; i < 3 && !Ends() && text_[at_] >= '0' && text_[at_] <= '7'; ++i) {
      code = code * 8 + static_cast<uint32_t>(text_[at_++] - '0');
    }
    return AddUtf8(code, string);
  }

  // Behind the backslash.
  bool Escape(std::string* string) {
    if (Ends()) return false;
    const char c = text_[at_];
    if (c >= '0' && c <= '7') return Octal(string);
    ++at_;
    uint32_t code = 0;
    constexpr std::string_view kLetters = "abfnrtv\\'\"/";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"/";
    switch (c) {
      case 'x':
        return Hex(2, &code) && AddUtf8(code, string);
      case 'u':
        return ShortUnicode(string);
      case 'U':
        return Hex(8, &code) && AddUtf8(code, string);
      case '\n':
        return true;
      default:
        const size_t place = kLetters.find(c);
        if (place == std::string_view::npos) return false;
        *string += kMeanings[place];
        return true;
    }
  }

  bool String(std::string* string) {
    const char quote = text_[at_++];
    while (!Ends() && text_[at_] != quote) {
      if (text_[at_] == '\\') {
        ++at_;
        if (!Escape(string)) return false;
      } else {
        if (text_[at_] == '\0') return false;
        *string += text_[at_++];
      }
    }
    return Take(quote);
  }

  bool List(int level, char end, Json* value) {
    *value = Json::array();
    ++at_;
    while (!Take(end)) {
      Json element;
      if (!Value(level + 1, &element)) return false;
      value->push_back(std::move(element));
      if (Take(',')) continue;
      return Take(end);
    }
    return true;
  }

  bool Dictionary(int level, Json* value) {
    *value = Json::object();
    ++at_;
    while (!Take('}')) {
      Json key, element;
      if (!Value(kMostLevels, &key) || !Take(':') || !Value(level + 1, &element)) return false;
      if (!key.is_string() && !key.is_number_integer()) return false;
      const std::string name = key.is_string() ? key.get<std::string>() : key.dump();
      if (value->contains(name)) return false;
      (*value)[name] = std::move(element);
      if (Take(',')) continue;
      return Take('}');
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool IsUtf8(const Json& value) {
  try {
    (void)value.dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

}  // namespace

std::optional<Json> ReadLiteral(std::string_view text) {
  Reader reader(text);
  Json value;
  if (!reader.Value(0, &value) || !reader.Done() || !IsUtf8(value)) return std::nullopt;
  return value;
}

}  // namespace octet::metadata
