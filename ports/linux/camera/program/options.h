// The options of octet-camera that more than one part of it reads. A feature's own are a struct of
// its folder.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPTIONS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPTIONS_H_

#include <any>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "octet/board.h"
#include "ports/linux/command_line/command_line.h"
#include "ports/linux/model.h"
#include "ports/linux/thermal/sensor.h"

namespace octet::port {

// Where results go: lines on stdout, the page of --http, neither.
constexpr const char* kLinesOutput = "lines";
constexpr const char* kPageOutput = "page";
constexpr const char* kNoOutput = "none";

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

// One value of each type: what features have, each known to its own folder alone.
class FeatureValues {
 public:
  // Made with its defaults by the first call.
  template <typename T>
  T& Get() {
    std::any& value = values_[typeid(T)];
    if (!value.has_value()) value.emplace<T>();
    return std::any_cast<T&>(value);
  }
  // The defaults if it was not made.
  template <typename T>
  const T& Get() const {
    static const T defaults;
    const auto found = values_.find(typeid(T));
    return found == values_.end() ? defaults : std::any_cast<const T&>(found->second);
  }

 private:
  std::map<std::type_index, std::any> values_;
};

struct CameraOptions {
  std::string blob, source, format, size, stride, isa, cpus;
  std::string garments;  // folder; empty: those that come with the program
  std::string disturb;
  std::string rtsp_command, password_file;
  uint32_t source_timeout_s = 10;
  std::string metrics;  // [ADDRESS:]PORT; empty: none
  std::string thermal_root = kThermalRoot;
  std::string models_of;  // the option that names models in place of MODEL; empty: `blob` runs
  std::optional<octet_board> board;  // that every model has to keep to
  ModelOptions model;
  uint64_t frames = 0, seed = 1;
  double fps = kNotGiven;
  double budget = 1;  // most share of the time that its frames may take
  std::vector<std::string> outputs;
  bool writes_lines = true, shows_page = true;  // of outputs
  int priority = 0;
  uint32_t state_gap_ms = 1000;  // longer without a frame: states begin again; 0: never
  bool json = false, every_frame = false, map = false;
  bool looks_only = false;    // no frame is taken: there need be nothing to run
  bool own_detector = false;  // `blob` is the one that comes with the program: none was given
  FeatureValues features;
};

// Looks at the settings after they were parsed, and sets what follows from them; throws InputError.
using CheckSettings = std::function<void()>;

// Every option, once: command line, settings file, help and manual come from this list. config and
// print: of --config and --print-config. What is returned is to be called once all options are set.
CheckSettings DescribeCamera(CommandLine& app, CameraOptions& options, std::string* config,
                             bool* print);
// That there is something to run and to look at; what only looks needs neither. Throws InputError.
void CheckWhatRuns(const CameraOptions& options);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPTIONS_H_
