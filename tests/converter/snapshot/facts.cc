#include "tests/converter/snapshot/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>

#include "tests/converter/snapshot/number.h"

namespace octet::test {
namespace {

using nlohmann::json;

// Times, hashes, versions, noise of differences, what the runtime decides, and lines for people
// that repeat what other keys say.
const std::set<std::string, std::less<>> kLeftOut{"in_blob",
                                                  "arena_bytes",
                                                  "seconds",
                                                  "digest",
                                                  "isa",
                                                  "sha256",
                                                  "version",
                                                  "summary",
                                                  "words",
                                                  "session_arena_bytes",
                                                  "scratch_bytes",
                                                  "offsets",
                                                  "error",
                                                  "error_db",
                                                  "kind",
                                                  "gain",
                                                  "text",
                                                  "why_not_int8",
                                                  "histogram",
                                                  "error_mean",
                                                  "not_finite",
                                                  "rms_error",
                                                  "loss_standard_error"};

std::string Without(std::string text, const std::string& folder) {
  for (size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) {
    text.erase(at, folder.size());
  }
  return text;
}

bool IsHash(const std::string& word) {
  return word.size() == 64 && word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool IsProse(const std::string& text) {
  return std::count(text.begin(), text.end(), ' ') > 2;
}

// Words with a digit, and what stands in quotes.
std::string NamesAndNumbers(const std::string& text) {
  std::string facts;
  bool quoted = false;
  std::istringstream stream(text);
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    // Of bytes, which follow FP32 sums.
    if (IsHash(word)) continue;
    // A time of this machine.
    if (i + 1 < words.size() && words[i + 1][0] == 's' && words[i + 1].size() <= 2) continue;
    const auto quotes = std::count(word.begin(), word.end(), '\'');
    const bool keep = quoted || quotes > 0 || std::any_of(word.begin(), word.end(), [](char c) {
                        return c >= '0' && c <= '9';
                      });
    if (quotes % 2 != 0) quoted = !quoted;
    if (!keep) continue;
    // A number with a point is rounded as all are.
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end != word.c_str() && word.find('.') != std::string::npos && *end != '.') {
      word = Real(value) + end;
    }
    facts += (facts.empty() ? "" : " ") + word;
  }
  return facts;
}

std::string Scalar(const std::string& key, const json& value, const std::string& folder) {
  if (value.is_string()) {
    const std::string text = Without(value.get<std::string>(), folder);
    return IsProse(text) ? "(" + NamesAndNumbers(text) + ")" : text;
  }
  if (!value.is_number_float()) return value.dump();
  return key.ends_with("_db") ? Decibels(value.get<double>()) : Real(value.get<double>());
}

// Where it becomes something, its key appears.
bool IsNothing(const json& value) {
  if (value.is_object() && std::all_of(value.begin(), value.end(),
                                       [](const json& v) { return v.is_number() && v == 0; })) {
    return true;
  }
  // The one arithmetic of all conversions (cli/one_blob_test.cc).
  return value.is_null() || value == false || value == 0 || value == "octet-1" ||
         (value.is_structured() && value.empty());
}

bool IsFlat(const json& value) {
  return std::none_of(value.begin(), value.end(), [](const json& v) { return v.is_structured(); });
}

// The key by which an element of a list is called; empty: it has only its number.
std::string NameKey(const json& element) {
  for (const char* key : {"name", "plan", "output"}) {
    if (!element.is_object() || !element.contains(key) || !element[key].is_string()) continue;
    const auto name = element[key].get<std::string>();
    if (!name.empty() && name.find_first_of(" ([") == std::string::npos) return key;
  }
  return "";
}

// called: the key that stands in the prefix already.
void Walk(const std::string& prefix, const std::string& key, const json& value,
          const std::string& folder, std::string* out, const std::string& called = "") {
  if (!value.is_structured()) {
    *out += fmt::format("{} {}\n", prefix, Scalar(key, value, folder));
    return;
  }
  if (value.is_array() && IsFlat(value)) {
    std::string line;
    for (const json& v : value) line += (line.empty() ? "" : ",") + Scalar(key, v, folder);
    *out += fmt::format("{} [{}]\n", prefix, line);
    return;
  }
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string name = NameKey(value[i]);
      const std::string own =
          name.empty() ? std::to_string(i) : Scalar(name, value[i][name], folder);
      Walk(prefix + "." + own, key, value[i], folder, out, name);
    }
    return;
  }
  std::string line;
  for (const auto& [name, field] : value.items()) {
    if (kLeftOut.contains(name) || IsNothing(field) || name == called) continue;
    if (!field.is_structured()) {
      line += fmt::format(" {}={}", name, Scalar(name, field, folder));
    } else if (field.is_array() && IsFlat(field) && field.size() <= 8) {
      std::string list;
      for (const json& v : field) list += (list.empty() ? "" : ",") + Scalar(name, v, folder);
      line += fmt::format(" {}=[{}]", name, list);
    }
  }
  if (!line.empty()) *out += prefix + line + "\n";
  const size_t before = out->size();
  for (const auto& [name, field] : value.items()) {
    if (kLeftOut.contains(name) || IsNothing(field) || !field.is_structured()) continue;
    if (field.is_array() && IsFlat(field) && field.size() <= 8) continue;
    Walk(prefix + "." + name, name, field, folder, out);
  }
  if (line.empty() && !called.empty() && out->size() == before) *out += prefix + "\n";
}

std::vector<std::string> Split(const std::string& text, const char* between) {
  std::vector<std::string> parts;
  for (size_t from = 0;;) {
    const size_t to = text.find_first_of(between, from);
    parts.push_back(text.substr(from, to - from));
    if (to == std::string::npos) return parts;
    from = to + 1;
  }
}

bool Equal(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto number = [](const std::string& word, const std::string& mark, double* value) {
    const size_t at = word.find(mark);
    if (at == std::string::npos) return std::string("-");
    char* end = nullptr;
    *value = std::strtod(word.c_str() + at + mark.size(), &end);
    return word.substr(0, at) + mark + end;
  };
  double x = 0, y = 0;
  if (number(a, "~", &x) == number(b, "~", &y) && a.find('~') != std::string::npos) {
    if (a.ends_with("dB")) return std::abs(x - y) <= 0.6;
    return std::abs(x - y) <= 0.01 * std::max(std::abs(x), std::abs(y)) + 1e-7;
  }
  // Rounded from a range: beside an edge another processor may find the next one. Ends and middle
  // of the codes come from no range.
  if (number(a, "z=", &x) == number(b, "z=", &y) && a.find("z=") != std::string::npos) {
    return std::abs(x - y) <= 1 && std::abs(x) < 127 && std::abs(y) < 127 && x != 0 && y != 0;
  }
  return false;
}

}  // namespace

std::string JsonFacts(const std::string& name, const json& document, const std::string& folder) {
  std::string out;
  Walk(name, "", document, folder, &out);
  return out;
}

std::string TextFacts(const std::string& name, const std::string& text, const std::string& folder) {
  std::string out;
  for (const std::string& line : Split(Without(text, folder), "\n")) {
    const std::string facts = NamesAndNumbers(line);
    if (!facts.empty()) out += fmt::format("{} {}\n", name, facts);
  }
  return out;
}

std::string Compare(const std::string& expected, const std::string& actual, int most) {
  const std::vector<std::string> a = Split(expected, "\n"), b = Split(actual, "\n");
  std::string differences;
  for (size_t line = 0; line < std::max(a.size(), b.size()); ++line) {
    const std::string x = line < a.size() ? a[line] : "(no line)";
    const std::string y = line < b.size() ? b[line] : "(no line)";
    const std::vector<std::string> xs = Split(x, " ,|[]()"), ys = Split(y, " ,|[]()");
    if (std::equal(xs.begin(), xs.end(), ys.begin(), ys.end(), Equal)) continue;
    if (most-- == 0) return differences + "...\n";
    differences += fmt::format("line {}\n  expected {}\n  actual   {}\n", line + 1, x, y);
  }
  return differences;
}

}  // namespace octet::test
