#include "converter/boards/board.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>

#include "converter/support/shipped.h"
#include "converter/support/yaml_reader.h"
#include "ports/linux/words/nearest.h"

namespace octet::boards {
namespace {

using Words = std::vector<std::string>;
using Read = std::function<void(const YAML::Node& value, const std::string& key)>;
using Fields = std::map<std::string, Read>;

constexpr const char* kTable = "boards/README.md has the table of fields";

// ISA words by architecture, lowest first: a level includes those before it.
const std::map<std::string, Words>& Ladders() {
  static const std::map<std::string, Words> ladders = [] {
    std::map<std::string, Words> made;
    const auto add = [&made](const char* level, const char* architectures) {
      std::istringstream each(architectures);
      for (std::string architecture; each >> architecture;) made[architecture].push_back(level);
    };
#define OCTET_LEVEL(code, Name, NAME, word, Family, parents, boards, ...) add(#word, boards);
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
    return made;
  }();
  return ladders;
}

bool IsBoardName(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

std::string Joined(const Words& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

class Reader {
 public:
  Reader(const std::string& path, Missing missing) : yaml_(path), missing_(missing) {}

  Board ReadFile() {
    board_.file = yaml_.file();
    board_.is_whole = true;
    const YAML::Node document = LoadMap();
    Fields fields = TextFields();
    fields.merge(NumberFields());
    fields["thermal"] = [this](const YAML::Node& v, const std::string& k) { ReadThermal(v, k); };
    fields["whitelist"] = [this](const YAML::Node& v, const std::string& k) {
      ReadFields(v, k, WhitelistFields(), {});
    };
    fields["guard"] = [this](const YAML::Node& value, const std::string& key) {
      yaml_.ForEach(value, key,
                    [&](const std::string& name, const YAML::Node&, const YAML::Node& setting) {
                      board_.guard.push_back(
                          {name, yaml_.Text(setting, key + "." + name), setting.Mark().line + 1});
                    });
    };
    ReadFields(document, "", fields,
               {"guard", "winograd", "cpu_id", "video_decoder", "thermal", "memory_mib",
                "flash_kib", "ram_kib"});
    if (!board_.architecture.empty()) {
      if (!board_.isa.empty()) CheckIsa(document["isa"]);
      CheckMemory(document);
    }
    return board_;
  }

 private:
  YAML::Node LoadMap() const {
    YAML::Node document = yaml_.Load();
    // Several lines without a key are one text to YAML, as the few lines that boards keep are.
    if (document.IsScalar()) {
      const std::string word = document.Scalar().substr(0, document.Scalar().find_first_of(" \n"));
      Fail(
          "{}: a plain text whitelist (octet boards --whitelist), not a board's YAML file; give "
          "the board's name or file, such as {}",
          yaml_.file(), IsBoardName(word) ? word : "raspberry-pi-4");
    }
    if (!document.IsMap() && !document.IsNull()) {
      Fail("{}: not a board's YAML file; fields such as `compatible: NAME` are expected",
           yaml_.file());
    }
    return document;
  }

  template <typename... Args>
  void Miss(fmt::format_string<Args...> format, Args&&... args) {
    if (missing_ == Missing::kRefused) Fail(format, std::forward<Args>(args)...);
    board_.is_whole = false;
  }

  // Every field of the map is known, and all but the optional ones are there.
  void ReadFields(const YAML::Node& map, const std::string& of, const Fields& fields,
                  const std::set<std::string>& optional) {
    const std::string before = of.empty() ? "" : of + ".";
    if (!map.IsMap() && !(of.empty() && map.IsNull())) {
      yaml_.Bad(map, of, "expected a map of fields");
    }
    std::set<std::string> seen;
    yaml_.ForEach(map, of, [&](const std::string& key, const YAML::Node& at, const YAML::Node& v) {
      const auto field = fields.find(key);
      if (field == fields.end()) {
        Words names;
        for (const auto& [name, read] : fields) names.push_back(name);
        yaml_.Bad(at, before + key,
                  fmt::format("no such field; the nearest name is '{}'; {}",
                              port::Nearest(key, names), kTable));
      }
      seen.insert(key);
      field->second(v, before + key);
    });
    for (const auto& [key, read] : fields) {
      if (seen.count(key) == 0 && optional.count(key) == 0) {
        Miss("{}: {}: is missing; {}", yaml_.file(), before + key, kTable);
      }
    }
  }

  Read Text(std::string* text) {
    return [this, text](const YAML::Node& value, const std::string& key) {
      *text = yaml_.Text(value, key);
      if (text->empty()) yaml_.Bad(value, key, "expected a text");
    };
  }
  Read OneOf(std::string* word, const Words& allowed) {
    return [this, word, allowed](const YAML::Node& value, const std::string& key) {
      *word = yaml_.Text(value, key);
      CheckWord(value, key, *word, allowed);
    };
  }
  // Without `allowed` any words will do. least: how many there have to be.
  Read List(Words* words, size_t least, const Words& allowed = {}) {
    return [=, this](const YAML::Node& value, const std::string& key) {
      if (!value.IsSequence()) yaml_.Bad(value, key, "expected a list, as [a, b]");
      words->clear();
      for (const YAML::Node& entry : value) {
        const std::string word = yaml_.Text(entry, key);
        if (!allowed.empty()) CheckWord(entry, key, word, allowed);
        if (std::find(words->begin(), words->end(), word) != words->end()) {
          yaml_.Bad(entry, key, fmt::format("'{}' is listed twice; remove one", word));
        }
        words->push_back(word);
      }
      if (words->size() < least) yaml_.Bad(value, key, "the list is empty; name at least one word");
    };
  }
  Read Number(int64_t* number, int64_t low, int64_t high) {
    return [=, this](const YAML::Node& value, const std::string& key) {
      *number = yaml_.Whole(value, key, low, high);
    };
  }
  Read Real(std::optional<double>* number, double low, double high) {
    return [=, this](const YAML::Node& value, const std::string& key) {
      *number = yaml_.Number(value, key);
      if (**number < low || **number > high) {
        yaml_.Bad(value, key, fmt::format("expected a number from {} to {}", low, high));
      }
    };
  }
  void CheckWord(const YAML::Node& node, const std::string& key, const std::string& word,
                 const Words& allowed) const {
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return;
    yaml_.Bad(node, key, fmt::format("'{}' is not one of {}", word, Joined(allowed)));
  }

  Fields TextFields() {
    Words architectures;
    for (const auto& [name, ladder] : Ladders()) architectures.push_back(name);
    Fields fields = {
        {"name", Text(&board_.name)},
        {"cpu", Text(&board_.cpu)},
        {"architecture", OneOf(&board_.architecture, architectures)},
        {"fp16_arithmetic", OneOf(&board_.fp16_arithmetic, {"storage", "native", "winograd"})},
        {"isa", List(&board_.isa, 1)},
        {"device_tree", List(&board_.device_tree, 0)},
        {"video_decoder", Text(&board_.video_decoder)}};
    fields["compatible"] = [this](const YAML::Node& value, const std::string& key) {
      constexpr size_t kMostBytes = 23;  // of the blob's header, with a zero behind them
      board_.compatible = yaml_.Text(value, key);
      if (board_.compatible.size() > kMostBytes || !IsBoardName(board_.compatible)) {
        yaml_.Bad(
            value, key,
            fmt::format("'{}' is not a board name; use at most {} characters of a-z, 0-9 and -",
                        board_.compatible, kMostBytes));
      }
    };
    return fields;
  }

  Fields NumberFields() {
    Fields fields = {{"cores", Number(&board_.cores, 1, 256)},
                     {"clock_mhz", Number(&board_.clock_mhz, 1, 10000)},
                     {"memory_mib", Number(&board_.memory_mib, 1, 1048576)},
                     {"flash_kib", Number(&board_.flash_kib, 1, 1048576)},
                     {"ram_kib", Number(&board_.ram_kib, 1, 1048576)}};
    fields["winograd"] = [this](const YAML::Node& value, const std::string& key) {
      board_.winograd = yaml_.Truth(value, key);
    };
    fields["cpu_id"] = [this](const YAML::Node& value, const std::string& key) {
      if (!value.IsSequence() || value.size() != 2) {
        yaml_.Bad(value, key,
                  "expected [implementer, part] as the board's /proc/cpuinfo has them, such as "
                  "[0x41, 0xd0b]");
      }
      // Their widths in the processor's identification register (MIDR_EL1).
      board_.cpu_id = CpuId{static_cast<uint32_t>(yaml_.Whole(value[0], key, 0, 0xFF)),
                            static_cast<uint32_t>(yaml_.Whole(value[1], key, 0, 0xFFF))};
    };
    fields["latency_budget_ms"] = [this](const YAML::Node& value, const std::string& key) {
      if (value.IsNull()) return;
      board_.latency_budget_ms = yaml_.Number(value, key);
      // Kept in 32 bits, in microseconds.
      constexpr double kLeastMs = 1e-3, kMostMs = 4e6;
      if (!(*board_.latency_budget_ms >= kLeastMs && *board_.latency_budget_ms <= kMostMs))
        yaml_.Bad(value, key, "must be above 0, or null for no budget");
    };
    return fields;
  }

  Fields WhitelistFields() {
    return {
        {"precisions", List(&board_.precisions, 1, {"int8", "fp16"})},
        {"weight_schemes", List(&board_.weight_schemes, 1, {"per_tensor", "per_channel", "group"})},
        {"activation_schemes", List(&board_.activation_schemes, 1, {"symmetric", "asymmetric"})}};
  }

  void ReadThermal(const YAML::Node& value, const std::string& key) {
    Thermal thermal;
    ReadFields(
        value, key,
        {{"zones", List(&thermal.zones, 0)},
         {"policy", OneOf(&thermal.policy, {"raise_precision", "lower_precision", "lower_rate"})},
         {"enter_c", Real(&thermal.enter_c, 20, 120)},
         {"leave_c", Real(&thermal.leave_c, 0, 119)},
         {"dwell_s", Real(&thermal.dwell_s, 0, 3600)},
         {"throttle_c", Real(&thermal.throttle_c, 21, 150)}},
        {"throttle_c"});
    if (thermal.enter_c && thermal.leave_c && *thermal.leave_c >= *thermal.enter_c) {
      yaml_.Bad(value["leave_c"], key + ".leave_c", "must be below enter_c");
    }
    if (thermal.enter_c && thermal.throttle_c && *thermal.throttle_c <= *thermal.enter_c) {
      yaml_.Bad(value["throttle_c"], key + ".throttle_c", "must be above enter_c");
    }
    board_.thermal = thermal;
  }

  void CheckIsa(const YAML::Node& isa) const {
    const Words& ladder = Ladders().at(board_.architecture);
    if (board_.isa.size() > ladder.size() ||
        !std::equal(board_.isa.begin(), board_.isa.end(), ladder.begin())) {
      yaml_.Bad(isa, "isa",
                fmt::format("expected the first words of [{}], those of {}", Joined(ladder),
                            board_.architecture));
    }
  }

  void CheckMemory(const YAML::Node& document) {
    const bool bare = IsBareMetal(board_.architecture);
    const Words wanted = bare ? Words{"flash_kib", "ram_kib"} : Words{"memory_mib", "thermal"};
    const Words others = bare ? Words{"memory_mib", "cpu_id"} : Words{"flash_kib", "ram_kib"};
    for (const std::string& key : wanted) {
      if (!document[key]) {
        Miss("{}: {}: is missing for {}; {}", board_.file, key, board_.architecture, kTable);
      }
    }
    for (const std::string& key : others) {
      if (document[key]) {
        yaml_.Bad(document[key], key,
                  fmt::format("not allowed for {}; {}", board_.architecture, kTable));
      }
    }
  }

  YamlReader yaml_;
  Missing missing_;
  Board board_;
};

}  // namespace

bool IsBareMetal(const std::string& architecture) {
  return architecture == "armv7e-m" || architecture == "armv8.1-m.main";
}

bool Allows(const std::vector<std::string>& list, const std::string& word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

Board ReadBoard(const std::string& path, Missing missing) {
  return Reader(path, missing).ReadFile();
}

std::string FindBoard(const std::string& word) {
  return FindShipped(word, "boards", ".yaml", "--board takes a YAML file");
}

}  // namespace octet::boards
