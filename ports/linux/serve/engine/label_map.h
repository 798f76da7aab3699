// Which number a caller has for each of our classes: by name, from the caller's label map.
//
// A line of the file is one of
//   INDEX NAME     the caller's class, as in Frigate's labelmap.txt ("0  person")
//   NAME           the same, where no line has an index; the first line is class 0
//   OURS = THEIRS  our class has another name there ("motorbike = motorcycle")
// Empty lines and lines that begin with # do not count. Names are compared without regard to case.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_LABEL_MAP_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_LABEL_MAP_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace octet::port::serve {

// Of each class of a model: the caller's number, and the caller's name for it.
struct ClassNumbers {
  static constexpr int kNone = -1;  // the caller has no such class: its boxes are left out
  std::vector<int> numbers;
  std::vector<std::string> names;
  bool all = true;  // classes without a name count as they are

  int NumberOf(uint32_t label) const;
  // "" where there is none.
  std::string_view NameOf(uint32_t label) const;
};

// Without a map: our own numbers and names.
ClassNumbers OwnNumbers(const std::vector<std::string>& labels);

class LabelMap {
 public:
  // Reads bytes of a file; `where` begins the messages. Throws InputError.
  LabelMap(const std::string& where, std::string_view text);

  // Throws InputError where the labels are none, or not one of them is in the map.
  ClassNumbers NumbersOf(const std::vector<std::string>& labels) const;

 private:
  std::string where_;
  std::map<std::string, int> theirs_;           // small letters
  std::map<int, std::string> written_;          // as the file has it
  std::map<std::string, std::string> renamed_;  // ours to theirs, small letters
};

// A file of at most a megabyte. Throws InputError.
LabelMap ReadLabelMap(const std::string& path);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_LABEL_MAP_H_
