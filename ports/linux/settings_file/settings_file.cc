#include "ports/linux/settings_file/settings_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <sstream>

#include "ports/linux/output/again.h"
#include "ports/linux/output/error.h"
#include "ports/linux/output/whole.h"
#ifdef OCTET_HAS_YAML
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>
#endif

namespace octet::port {
namespace {

std::string TextOf(const std::string& path) {
  // O_NONBLOCK: a pipe is refused instead of waited for.
  const int file =
      Again([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); });
  if (file < 0) throw InputError(path + ": " + ErrorText(errno) + "; check the path");
  struct stat status;
  std::string text(kSettingsFileBytes + 1, 0), why;
  size_t count = 0;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    why = "not a regular file";
  } else {
    count = ReadWhole(file, text.data(), text.size());
    if (count < text.size() && errno != 0) why = ErrorText(errno);
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

// Where the newest document begins.
struct DocumentStart final : YAML::EventHandler {
  int line = 0;

  void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

class Reader {
 public:
  Reader(const std::string& path, const std::string& list) : path_(path), list_(list) {}

  std::vector<FileSetting> Read(const std::string& text) const {
    try {
      const YAML::Node document = YAML::Load(text);
      RefuseSecondDocument(text);
      if (document.IsNull()) return {};
      return Settings(document, list_);
    } catch (const YAML::Exception& error) {
      throw InputError(path_ + ":" + std::to_string(error.mark.line + 1) +
                       ": not valid YAML: " + error.msg);
    }
  }

 private:
  [[noreturn]] void Refuse(const YAML::Node& node, const std::string& why) const {
    RefuseLine(node.Mark().line, why);
  }
  [[noreturn]] void RefuseLine(int line, const std::string& why) const {
    throw InputError(path_ + ":" + std::to_string(std::max(line, 0) + 1) + ": " + why);
  }

  // YAML::LoadAll would count them, but makes documents without end of some texts.
  void RefuseSecondDocument(const std::string& text) const {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStart start;
    if (parser.HandleNextDocument(start) && parser.HandleNextDocument(start)) {
      RefuseLine(start.line, "a second document; a file has one");
    }
  }

  std::vector<FileSetting> Settings(const YAML::Node& map, const std::string& list) const {
    if (!map.IsMap()) Refuse(map, "expected lines of `name: value`");
    std::vector<FileSetting> settings;
    std::set<std::string> names;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) Refuse(entry.first, "expected a name");
      const std::string& name = entry.first.Scalar();
      if (!names.insert(name).second) Refuse(entry.first, name + ": set twice; remove one");
      FileSetting& setting = settings.emplace_back();
      setting.name = name;
      setting.line = entry.first.Mark().line + 1;
      if (!list.empty() && name == list) {
        setting.maps = Maps(entry.first, entry.second);
      } else {
        setting.values = Values(entry.first, entry.second);
      }
    }
    return settings;
  }

  std::vector<std::vector<FileSetting>> Maps(const YAML::Node& name,
                                             const YAML::Node& value) const {
    if (!value.IsSequence() || value.size() == 0) {
      Refuse(name, name.Scalar() + ": expected a list, each entry with lines of `name: value`");
    }
    std::vector<std::vector<FileSetting>> maps;
    for (const YAML::Node& map : value) maps.push_back(Settings(map, ""));
    return maps;
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

  const std::string &path_, &list_;
};

#else

constexpr const char* kNoYaml =
    ": this program was built without yaml-cpp, so it reads no settings file; build it again after "
    "./setup.sh --tests";

#endif

}  // namespace

std::vector<FileSetting> ReadSettingsFile(const std::string& path, const std::string& list) {
  return ParseSettings(TextOf(path), path, list);
}

#ifdef OCTET_HAS_YAML

std::vector<FileSetting> ParseSettings(const std::string& text, const std::string& path,
                                       const std::string& list) {
  return Reader(path, list).Read(text);
}

namespace {

void WriteMap(const std::vector<FileSetting>& settings, YAML::Emitter* out) {
  *out << YAML::BeginMap;
  for (const FileSetting& setting : settings) {
    *out << YAML::Key << setting.name << YAML::Value;
    if (!setting.maps.empty()) {
      *out << YAML::BeginSeq;
      for (const std::vector<FileSetting>& map : setting.maps) WriteMap(map, out);
      *out << YAML::EndSeq;
    } else if (setting.values.size() == 1 && !setting.is_list) {
      *out << setting.values[0];
    } else {
      *out << YAML::Flow << setting.values;
    }
  }
  *out << YAML::EndMap;
}

}  // namespace

std::string WriteSettings(const std::vector<FileSetting>& settings) {
  YAML::Emitter out;
  WriteMap(settings, &out);
  return out.c_str() + std::string("\n");
}

#else

std::vector<FileSetting> ParseSettings(const std::string&, const std::string& path,
                                       const std::string&) {
  throw InputError(path + kNoYaml);
}

std::string WriteSettings(const std::vector<FileSetting>&) {
  throw InputError(std::string("--print-config") + kNoYaml);
}

#endif

}  // namespace octet::port
