#include "ports/linux/serve/engine/label_map.h"

#include <algorithm>
#include <charconv>

#include "ports/linux/output/error.h"
#include "ports/linux/serve/access/small_file.h"

namespace octet::port::serve {
namespace {

constexpr int kMostNumber = 1 << 20;
constexpr size_t kMostFileBytes = size_t{1} << 20;

std::string_view TrimmedLine(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string Small(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return small;
}

// "0  person" -> 0, "person". A line of digits alone is a name.
bool SplitIndex(std::string_view line, int* number, std::string_view* name) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), *number);
  const auto digits = static_cast<size_t>(end - line.data());
  if (error != std::errc() || digits >= line.size() || *number < 0) return false;
  if (line[digits] != ' ' && line[digits] != '\t') return false;
  *name = TrimmedLine(line.substr(digits));
  return true;
}

}  // namespace

int ClassNumbers::NumberOf(uint32_t label) const {
  if (label < numbers.size()) return numbers[label];
  return all && label <= static_cast<uint32_t>(kMostNumber) ? static_cast<int>(label) : kNone;
}

std::string_view ClassNumbers::NameOf(uint32_t label) const {
  return label < names.size() ? std::string_view(names[label]) : std::string_view();
}

ClassNumbers OwnNumbers(const std::vector<std::string>& labels) {
  ClassNumbers own;
  own.names = labels;
  for (size_t i = 0; i < labels.size(); ++i) own.numbers.push_back(static_cast<int>(i));
  return own;
}

LabelMap::LabelMap(const std::string& where, std::string_view text) : where_(where) {
  const auto bad = [&](size_t line, const std::string& what) {
    throw InputError(where + ", line " + std::to_string(line) + ": " + what);
  };
  std::vector<std::pair<size_t, std::string_view>> names;  // without an index
  size_t number_of_line = 0;
  bool has_index = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = TrimmedLine(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number_of_line;
    if (line.empty() || line[0] == '#') continue;
    if (const size_t equals = line.find('='); equals != std::string_view::npos) {
      const std::string ours = Small(TrimmedLine(line.substr(0, equals)));
      const std::string theirs = Small(TrimmedLine(line.substr(equals + 1)));
      if (ours.empty() || theirs.empty()) {
        bad(number_of_line, "a name is missing; write OURS = THEIRS");
      }
      if (!renamed_.emplace(ours, theirs).second) {
        bad(number_of_line, "'" + ours + "' is renamed twice; remove one line");
      }
      continue;
    }
    int number = 0;
    std::string_view name;
    if (!SplitIndex(line, &number, &name)) {
      names.emplace_back(number_of_line, line);
      continue;
    }
    has_index = true;
    if (number > kMostNumber) bad(number_of_line, "an index above 1048576; use a smaller one");
    // Of a name that stands twice the first index counts: Frigate's own map has such.
    theirs_.emplace(Small(name), number);
    if (!written_.emplace(number, name).second) {
      bad(number_of_line, "index " + std::to_string(number) + " is given twice; remove one line");
    }
  }
  if (has_index && !names.empty()) {
    bad(names[0].first, "no index, but other lines have one; write INDEX NAME");
  }
  int next = 0;
  for (const auto& [line, name] : names) {
    theirs_.emplace(Small(name), next);
    written_.emplace(next++, name);
  }
  if (theirs_.empty()) {
    throw InputError(where + ": has no classes; write one NAME a line, or INDEX NAME");
  }
}

ClassNumbers LabelMap::NumbersOf(const std::vector<std::string>& labels) const {
  ClassNumbers result;
  result.all = false;
  bool any = false;
  for (const std::string& label : labels) {
    const auto renamed = renamed_.find(Small(label));
    const auto found = theirs_.find(renamed == renamed_.end() ? Small(label) : renamed->second);
    result.numbers.push_back(found == theirs_.end() ? ClassNumbers::kNone : found->second);
    result.names.push_back(found == theirs_.end() ? label : written_.at(found->second));
    any = any || found != theirs_.end();
  }
  if (labels.empty()) {
    throw InputError(where_ +
                     ": the model has no labels, so no class can be found by its name; convert it "
                     "with --labels");
  }
  if (!any) {
    throw InputError(where_ + ": has none of the model's labels, as '" + labels[0] +
                     "'; add lines OURS = THEIRS");
  }
  return result;
}

LabelMap ReadLabelMap(const std::string& path) {
  return LabelMap("--labels-map " + path, ReadSmallFile("--labels-map", path, kMostFileBytes));
}

}  // namespace octet::port::serve
