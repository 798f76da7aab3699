// What octet-run is asked for, and which options do not go together.
#ifndef OCTET_PORTS_LINUX_RUN_OPTIONS_H_
#define OCTET_PORTS_LINUX_RUN_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ports/linux/command_line/command_line.h"
#include "ports/linux/model.h"
#include "ports/linux/run/sound.h"
#include "ports/linux/run/tracks.h"
#include "ports/linux/thermal/sensor.h"

namespace octet::port {

struct RunOptions {
  std::string blob, output, isa, board, cpus, sequences, thermal_root = kThermalRoot;
  std::vector<std::string> inputs;
  uint32_t repeat = 1, warmup = 0;
  bool profile = false, json = false, no_verify = false, map = false, self_test = false;
  ModelOptions model;
  SoundOptions sound;
  TracksOptions tracks;
};

void DescribeOptions(CommandLine& app, RunOptions& o);

// Each of these throws InputError.

// The word of --isa, into the options of the model.
void ReadIsa(RunOptions* o);
// Outputs must not replace inputs. Each of several outputs needs its own name.
void RefuseToReplace(const RunOptions& o);
// Options that do nothing beside `with`, which needs no MODEL; `taken` are those that do.
void RefuseOthers(const CommandLine& app, const std::string& with,
                  const std::vector<std::string>& taken);
// Options that do nothing with a sound, and those that need its end.
void RefuseWithSound(const RunOptions& o, bool is_stream);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_OPTIONS_H_
