// YAML files of users: every error names file, line, key, and what would be right.
#ifndef OCTET_CONVERTER_SUPPORT_YAML_READER_H_
#define OCTET_CONVERTER_SUPPORT_YAML_READER_H_

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/support/error.h"
#include "converter/support/file.h"

namespace octet {

class YamlReader {
 public:
  explicit YamlReader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void Bad(const YAML::Node& node, const std::string& key,
                        const std::string& what) const {
    Fail("{}:{}: {}: {}", file_, node.Mark().line + 1, OneLine(key), OneLine(what));
  }

  // The document of the file, or of `text` where one is given.
  YAML::Node Load() const {
    RefuseFolder(file_);
    return Parse([this] { return YAML::LoadFile(file_); });
  }
  YAML::Node LoadText(const std::string& text) const {
    return Parse([&text] { return YAML::Load(text); });
  }

  std::string Text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) Bad(node, key, "expected one value");
    return node.Scalar();
  }

  template <typename T>
  T OneOf(const YAML::Node& node, const std::string& key,
          std::initializer_list<std::pair<const char*, T>> words) const {
    const std::string text = Text(node, key);
    std::string known;
    for (const auto& [word, value] : words) {
      if (text == word) return value;
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    Bad(node, key, fmt::format("'{}' is not one of {}", text, known));
  }

  double Number(const YAML::Node& node, const std::string& key) const {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value)) {
      Bad(node, key, "expected a finite number");
    }
    return value;
  }

  float Real(const YAML::Node& node, const std::string& key) const {
    const double value = Number(node, key);
    if (std::abs(value) > std::numeric_limits<float>::max()) {
      Bad(node, key, "expected a number in the range of float32");
    }
    return static_cast<float>(value);
  }

  int64_t Whole(const YAML::Node& node, const std::string& key, int64_t low, int64_t high) const {
    int64_t value = 0;
    if (!node.IsScalar() || !YAML::convert<int64_t>::decode(node, value) || value < low ||
        value > high) {
      Bad(node, key, fmt::format("expected a whole number from {} to {}", low, high));
    }
    return value;
  }

  bool Truth(const YAML::Node& node, const std::string& key) const {
    return OneOf<bool>(node, key, {{"true", true}, {"false", false}});
  }

  // One entry, or a list of them.
  template <typename F>
  auto List(const YAML::Node& node, const std::string& key, F&& f) const {
    std::vector<decltype(f(node))> values;
    if (node.IsSequence()) {
      for (const YAML::Node& entry : node) values.push_back(f(entry));
    } else if (node.IsScalar()) {
      values.push_back(f(node));
    } else {
      Bad(node, key, "expected a value or a list of values");
    }
    return values;
  }

  // Calls f(key, key node, value node) for every entry of a map.
  template <typename F>
  void ForEach(const YAML::Node& node, const std::string& key, F&& f) const {
    if (node.IsNull()) return;
    if (!node.IsMap()) Bad(node, key, "expected a map");
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string name = Text(entry.first, key);
      if (!seen.insert(name).second) {
        Bad(entry.first, name, "is listed twice; remove one");
      }
      f(name, entry.first, entry.second);
    }
  }

  const std::string& file() const { return file_; }

 private:
  // Names and values of a file may hold any byte, a line break and a zero among them.
  static std::string OneLine(std::string text) {
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    }
    return text;
  }

  template <typename F>
  YAML::Node Parse(F&& load) const {
    try {
      return load();
    } catch (const YAML::BadFile&) {
      Fail("{}: cannot be opened; check the path", file_);
    } catch (const YAML::ParserException& error) {
      Fail("{}:{}: not valid YAML: {}", file_, error.mark.line + 1, OneLine(error.msg));
    }
  }

  std::string file_;
};

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_YAML_READER_H_
