#include "ports/linux/settings_file/settings_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "ports/linux/output/again.h"
#include "ports/linux/output/error.h"
#ifdef OCTET_HAS_YAML
#include <yaml-cpp/yaml.h>
#endif

namespace octet::port {
namespace {

std::string ReadWhole(const std::string& path) {
  // O_NONBLOCK: a pipe is refused instead of waited for.
  const int file =
      Again([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); });
  if (file < 0) throw InputError(path + ": " + std::strerror(errno) + "; check the path");
  struct stat status;
  std::string text(kSettingsFileBytes + 1, 0), why;
  size_t count = 0;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) why = "not a regular file";
  while (why.empty() && count < text.size()) {
    const ssize_t got = Again([&] { return read(file, &text[count], text.size() - count); });
    if (got < 0) why = std::strerror(errno);
    if (got <= 0) break;
    count += static_cast<size_t>(got);
  }
  close(file);
  if (count > kSettingsFileBytes) {
    why = "longer than " + std::to_string(kSettingsFileBytes) + " bytes";
  }
  if (!why.empty()) throw InputError(path + ": " + why + "; name a file of settings");
  text.resize(count);
  return text;
}

#ifdef OCTET_HAS_YAML

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  std::vector<FileSetting> Read(const std::string& text) const {
    try {
      const std::vector<YAML::Node> documents = YAML::LoadAll(text);
      if (documents.size() > 1) Refuse(documents[1], "a second document; a file has one");
      if (documents.empty() || documents[0].IsNull()) return {};
      return Settings(documents[0]);
    } catch (const YAML::Exception& error) {
      throw InputError(path_ + ":" + std::to_string(error.mark.line + 1) +
                       ": not valid YAML: " + error.msg);
    }
  }

 private:
  [[noreturn]] void Refuse(const YAML::Node& node, const std::string& why) const {
    throw InputError(path_ + ":" + std::to_string(node.Mark().line + 1) + ": " + why);
  }

  std::vector<FileSetting> Settings(const YAML::Node& map) const {
    if (!map.IsMap()) Refuse(map, "expected lines of `name: value`");
    std::vector<FileSetting> settings;
    std::set<std::string> names;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) Refuse(entry.first, "expected a name");
      const std::string& name = entry.first.Scalar();
      if (!names.insert(name).second) Refuse(entry.first, name + ": set twice; remove one");
      settings.push_back(
          {name, Values(entry.first, entry.second), entry.first.Mark().line + 1, false});
    }
    return settings;
  }

  std::vector<std::string> Values(const YAML::Node& name, const YAML::Node& value) const {
    if (value.IsScalar()) return {value.Scalar()};
    if (value.IsSequence() && value.size() > 0) {
      std::vector<std::string> words;
      for (const YAML::Node& word : value) {
        if (!word.IsScalar()) Refuse(name, name.Scalar() + ": expected a list of words");
        words.push_back(word.Scalar());
      }
      return words;
    }
    Refuse(name, name.Scalar() + (value.IsMap() ? ": expected a value or a list of values"
                                                : ": has no value; give one, or remove the line"));
  }

  const std::string& path_;
};

#else

constexpr const char* kNoYaml =
    ": this program was built without yaml-cpp, so it reads no settings file; build it again after "
    "./setup.sh --tests";

#endif

}  // namespace

std::vector<FileSetting> ReadSettingsFile(const std::string& path) {
  return ParseSettings(ReadWhole(path), path);
}

#ifdef OCTET_HAS_YAML

std::vector<FileSetting> ParseSettings(const std::string& text, const std::string& path) {
  return Reader(path).Read(text);
}

std::string WriteSettings(const std::vector<FileSetting>& settings) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  for (const FileSetting& setting : settings) {
    out << YAML::Key << setting.name << YAML::Value;
    if (setting.values.size() == 1 && !setting.is_list) {
      out << setting.values[0];
    } else {
      out << YAML::Flow << setting.values;
    }
  }
  out << YAML::EndMap;
  return out.c_str() + std::string("\n");
}

#else

std::vector<FileSetting> ParseSettings(const std::string&, const std::string& path) {
  throw InputError(path + kNoYaml);
}

std::string WriteSettings(const std::vector<FileSetting>&) {
  throw InputError(std::string("--print-config") + kNoYaml);
}

#endif

}  // namespace octet::port
