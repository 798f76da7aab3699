// Which of the boards a machine is, by what its kernel says of it.
#ifndef OCTET_CONVERTER_BOARDS_MACHINE_H_
#define OCTET_CONVERTER_BOARDS_MACHINE_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/boards/board.h"

namespace octet::boards {

struct Machine {
  std::vector<std::string> device_tree;  // "compatible", the most particular first; may be empty
  std::string architecture;              // as in board files; empty: neither x86-64 nor ARM
  std::vector<std::string> isa;          // words of an x86-64 machine, lowest first
  std::optional<CpuId> cpu_id;           // of the first core of an ARM machine
};

// From proc/device-tree/compatible and proc/cpuinfo under `root` ("/"); what is not there stays
// empty.
Machine ReadMachine(const std::string& root);

struct Recognised {
  size_t board = 0;  // its index
  std::string by;    // for people: what told
};

// By the device tree, the most particular of its names that any board has; else by the core; else,
// on x86-64, the board of the highest level that the machine has too, or the first.
std::optional<Recognised> Recognise(const std::vector<Board>& boards, const Machine& machine);

}  // namespace octet::boards

#endif  // OCTET_CONVERTER_BOARDS_MACHINE_H_
