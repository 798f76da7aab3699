// Settings of a program as a YAML file: one map from names to values, a value being one word or,
// where an option may be given several times, a list of words. The value of one name may be a list
// of such maps. yaml-cpp parses and writes it; a build without yaml-cpp refuses every file.
#ifndef OCTET_PORTS_LINUX_SETTINGS_FILE_SETTINGS_FILE_H_
#define OCTET_PORTS_LINUX_SETTINGS_FILE_SETTINGS_FILE_H_

#include <string>
#include <vector>

namespace octet::port {

struct FileSetting {
  std::string name;
  std::vector<std::string> values;
  int line = 0;          // of the name, from 1
  bool is_list = false;  // for WriteSettings: also where it has one value
  std::vector<std::vector<FileSetting>> maps = {};  // in place of values
};

// What a settings file may have; it is read as a whole.
constexpr size_t kSettingsFileBytes = 65536;

// In the file's order, each name once. Throws InputError, as "FILE:LINE: what is wrong": a name
// twice, no value, a value that is a map, no YAML. Names and values are not looked at. list: the
// name whose value is a list of maps; "": there is none.
std::vector<FileSetting> ReadSettingsFile(const std::string& path, const std::string& list = "");
// The same of a text; `path` is for messages.
std::vector<FileSetting> ParseSettings(const std::string& text, const std::string& path,
                                       const std::string& list = "");

// As YAML that ParseSettings reads back, word for word. Several values are written as a list.
// Throws InputError in a build without yaml-cpp.
std::string WriteSettings(const std::vector<FileSetting>& settings);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SETTINGS_FILE_SETTINGS_FILE_H_
