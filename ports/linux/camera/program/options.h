// The options of octet-camera, as its code uses them.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPTIONS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPTIONS_H_

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "ports/linux/camera/program/slots/slots.h"
#include "ports/linux/command_line/command_line.h"
#include "ports/linux/model.h"
#include "ports/linux/thermal/sensor.h"

namespace octet::port {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

struct CameraOptions {
  std::string blob, source, format, size, stride, isa, cpus, dump, dump_format = "jpg";
  std::string garments;  // folder; empty: those that come with the program
  std::string guard_settings, disturb;
  std::string drift;  // path of the record; empty: no recalibration
  std::string drift_settings;
  std::string device;   // in lines and metrics; empty: after the machine id
  std::string bundle;   // of --support-bundle; empty: none
  std::string state;    // folder of the file of starts; empty: none
  std::string metrics;  // [ADDRESS:]PORT; empty: none
  std::string thermal_root = kThermalRoot;
  std::string slots;  // the store; empty: `blob` runs
  StoreOptions store;
  std::optional<octet_board> board;  // that every model has to keep to
  uint32_t confirm_after = kConfirmAfter;
  ComparisonSettings comparison;
  ModelOptions model;
  uint64_t frames = 0, seed = 1;
  double fps = kNotGiven;
  int http_port = -1;
  int priority = 0;
  bool json = false, score = false, every_frame = false, guard = false;
  bool temporal = false;  // earlier frames are blended in
  bool map = false, check = false;
  bool own_detector = false;  // `blob` is the one that comes with the program: none was given
};

// Looks at the settings after they were parsed, and sets what follows from them; throws InputError.
using CheckSettings = std::function<void()>;

// Every option, once: command line, settings file, help and manual come from this list. config and
// print: of --config and --print-config. What is returned is to be called once all options are set.
CheckSettings DescribeCamera(CommandLine& app, CameraOptions& options, std::string* config,
                             bool* print);
// That there is something to run and to look at; --check and --support-bundle need
// neither. Throws InputError.
void CheckWhatRuns(const CameraOptions& options);
// --isa list
void ListIsas();

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPTIONS_H_
