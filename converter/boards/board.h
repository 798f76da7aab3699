// A board's file (boards/README.md has the table of its fields), read strictly. All programs of the
// host read it here.
#ifndef OCTET_CONVERTER_BOARDS_BOARD_H_
#define OCTET_CONVERTER_BOARDS_BOARD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace octet::boards {

// Of an ARM core, as /proc/cpuinfo calls them.
struct CpuId {
  uint32_t implementer = 0, part = 0;
  bool operator==(const CpuId&) const = default;
};

struct Thermal {
  std::vector<std::string> zones;
  std::string policy;                                           // empty: not said
  std::optional<double> enter_c, leave_c, dwell_s, throttle_c;  // the last may always be absent
};

// One of the guard as it is written; what it may be is the guard's matter.
struct Setting {
  std::string name, value;
  int line = 0;  // of the file
  bool operator==(const Setting&) const = default;
};

struct Board {
  std::string file, compatible, name, cpu, architecture, fp16_arithmetic;
  std::string video_decoder;  // options of ffmpeg; empty: the processor decodes
  std::vector<std::string> device_tree, isa;
  std::optional<CpuId> cpu_id;
  int64_t cores = 0, clock_mhz = 0;
  int64_t memory_mib = 0;              // with an operating system; else 0
  int64_t flash_kib = 0, ram_kib = 0;  // without one; else 0
  bool winograd = false;
  std::optional<Thermal> thermal;
  std::vector<Setting> guard;
  // The whitelist; an empty list is absent and allows everything.
  std::vector<std::string> precisions, weight_schemes, activation_schemes;
  std::optional<double> latency_budget_ms;
  bool is_whole = false;  // no field is missing
};

// Whether a list of the whitelist allows the word.
bool Allows(const std::vector<std::string>& list, const std::string& word);

// Without an operating system: memory is flash and RAM, nothing tells what machine it is.
bool IsBareMetal(const std::string& architecture);

// Of files that say less than everything about a board.
enum class Missing : uint8_t { kRefused, kAllowed };

// Throws UserError: file, line, field, and what would be right. A field that nobody knows is
// refused with the nearest name.
Board ReadBoard(const std::string& path, Missing missing = Missing::kRefused);

// The file that --board means: a path, or the name of a board that came with the program
// ("raspberry-pi-5"). Throws UserError with the names that there are.
std::string FindBoard(const std::string& word);

}  // namespace octet::boards

#endif  // OCTET_CONVERTER_BOARDS_BOARD_H_
