#include "converter/boards/machine.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "runtime/core/isa.h"

namespace octet::boards {
namespace {

constexpr const char* kX86 = "x86_64";

// What follows the colon in "key<tabs and blanks>: value".
std::optional<std::string> ValueOf(const std::string& line, std::string_view key) {
  if (line.rfind(key, 0) != 0) return std::nullopt;
  const size_t colon = line.find_first_not_of(" \t", key.size());
  if (colon == std::string::npos || line[colon] != ':') return std::nullopt;
  const size_t begin = line.find_first_not_of(" \t", colon + 1);
  return begin == std::string::npos ? std::string() : line.substr(begin);
}

// The ISA words of an x86-64 core, lowest first, by the flags that its levels need.
std::vector<std::string> WordsOf(const std::string& flags) {
  std::vector<std::string> words;
  uint32_t levels = isa::Bit(Isa::kReference);
  const auto add = [&](Isa level, uint32_t parents, const char* word, const char* detection) {
    std::istringstream each(detection);
    for (std::string flag; each >> flag;) {
      if ((" " + flags + " ").find(fmt::format(" {} ", flag)) == std::string::npos) return;
    }
    if ((levels & parents) != parents || IsaFamilyOf(level) != IsaFamily::kX86) return;
    levels |= isa::Bit(level);
    words.emplace_back(word);
  };
  using namespace octet::isa;
#define OCTET_LEVEL(code, Name, NAME, word, Family, parents, boards, detection) \
  add(Isa::k##Name, parents, #word, detection);
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
  return words;
}

uint32_t Number(const std::string& text) {
  return static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 0));  // 0x41
}

}  // namespace

Machine ReadMachine(const std::string& root) {
  Machine machine;
  const std::filesystem::path proc = std::filesystem::path(root) / "proc";
  std::ifstream tree(proc / "device-tree/compatible", std::ios::binary);
  for (std::string name; std::getline(tree, name, '\0');) {
    if (!name.empty()) machine.device_tree.push_back(name);
  }
  std::ifstream cpus(proc / "cpuinfo");
  CpuId id;
  for (std::string line; std::getline(cpus, line);) {
    if (const auto implementer = ValueOf(line, "CPU implementer")) {
      id.implementer = Number(*implementer);
    } else if (const auto part = ValueOf(line, "CPU part")) {
      id.part = Number(*part);
      machine.cpu_id = id;
      break;
    } else if (const auto revision = ValueOf(line, "CPU architecture")) {
      machine.architecture = Number(*revision) >= 8 ? "aarch64" : "armv7";
    } else if (const auto flags = ValueOf(line, "flags")) {
      // "lm", long mode: 64 bits.
      if ((" " + *flags + " ").find(" lm ") != std::string::npos) machine.architecture = kX86;
      machine.isa = WordsOf(*flags);
      break;
    }
  }
  return machine;
}

std::optional<Recognised> Recognise(const std::vector<Board>& boards, const Machine& machine) {
  for (const std::string& name : machine.device_tree) {
    for (size_t i = 0; i < boards.size(); ++i) {
      const auto& names = boards[i].device_tree;
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        return Recognised{i, "its device tree's " + name};
      }
    }
  }
  for (size_t i = 0; i < boards.size(); ++i) {
    if (machine.cpu_id && boards[i].cpu_id == machine.cpu_id) {
      return Recognised{i, fmt::format("its core, {:#x} of {:#x}", machine.cpu_id->part,
                                       machine.cpu_id->implementer)};
    }
  }
  // The board of the highest level that it has; where none of its levels is a board's, the first.
  std::optional<Recognised> found;
  auto best = machine.isa.end();
  for (size_t i = 0; i < boards.size(); ++i) {
    if (machine.architecture != kX86 || boards[i].architecture != kX86) continue;
    const auto highest = boards[i].isa.empty() ? machine.isa.end()
                                               : std::find(machine.isa.begin(), machine.isa.end(),
                                                           boards[i].isa.back());
    const bool better =
        highest != machine.isa.end() && (best == machine.isa.end() || highest > best);
    if (better) best = highest;
    if (!found || better) {
      found = Recognised{i, better ? "its architecture and " + *highest : "its architecture"};
    }
  }
  return found;
}

}  // namespace octet::boards
