// A board's file (boards/README.md has the table of its fields), read whole and strictly.
#ifndef OCTET_CONVERTER_BOARDS_BOARD_H_
#define OCTET_CONVERTER_BOARDS_BOARD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace octet::boards {

// Of an ARM core, as /proc/cpuinfo calls them.
struct CpuId {
  uint32_t implementer = 0, part = 0;
  bool operator==(const CpuId&) const = default;
};

struct Thermal {
  std::vector<std::string> zones;
  std::string policy;
  int64_t enter_c = 0, leave_c = 0, dwell_s = 0;
  std::optional<int64_t> throttle_c;
};

struct Board {
  std::string file, compatible, name, cpu, architecture, fp16_arithmetic;
  std::vector<std::string> device_tree, isa;
  std::optional<CpuId> cpu_id;
  int64_t cores = 0, clock_mhz = 0;
  int64_t memory_mib = 0;              // with an operating system; else 0
  int64_t flash_kib = 0, ram_kib = 0;  // without one; else 0
  bool winograd = false;
  std::optional<Thermal> thermal;
  // Settings by name, as they are written; what they may be is the guard's matter.
  std::vector<std::pair<std::string, std::string>> guard;
  std::vector<std::string> precisions, weight_schemes, activation_schemes;
  std::optional<double> latency_budget_ms;
};

// Without an operating system: memory is flash and RAM, nothing tells what machine it is.
bool IsBareMetal(const std::string& architecture);

// Throws UserError: file, line, field, and what would be right.
Board ReadBoard(const std::string& path);

}  // namespace octet::boards

#endif  // OCTET_CONVERTER_BOARDS_BOARD_H_
