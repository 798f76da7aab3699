#include "ports/linux/tracks/tracker.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>

#include "ports/linux/output/error.h"

namespace octet::port {
namespace {

// The methods that use a field.
enum class Of { kBoth, kByteTrack, kOcSort };

struct Field {
  const char* name;
  uint32_t octet_tracks_config::*value;
  double unit, least, most;
  Of of = Of::kBoth;
};

constexpr const char *kByteTrackName = "bytetrack", *kOcSortName = "ocsort";

constexpr Field kFields[] = {
    {"high", &octet_tracks_config::high, OCTET_TRACKS_ONE, 0, 1},
    {"low", &octet_tracks_config::low, OCTET_TRACKS_ONE, 0, 1},
    {"new", &octet_tracks_config::new_score, OCTET_TRACKS_ONE, 0, 1, Of::kByteTrack},
    {"match", &octet_tracks_config::match, OCTET_TRACKS_ONE, 0, 1, Of::kByteTrack},
    {"second", &octet_tracks_config::second, OCTET_TRACKS_ONE, 0, 1, Of::kByteTrack},
    {"unconfirmed", &octet_tracks_config::unconfirmed, OCTET_TRACKS_ONE, 0, 1, Of::kByteTrack},
    {"iou", &octet_tracks_config::iou, OCTET_TRACKS_ONE, 0, 1, Of::kOcSort},
    {"inertia", &octet_tracks_config::inertia, OCTET_TRACKS_ONE, 0, 1, Of::kOcSort},
    {"buffer", &octet_tracks_config::buffer_ms, 1000, 0.001, 10},
};

std::string NumberText(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

uint32_t Either(const std::string& value, const char* zero, const char* one,
                const std::function<void(const std::string&)>& refuse) {
  if (value != zero && value != one) {
    refuse("expected " + std::string(zero) + " or " + one + " after the =");
  }
  return value == one ? 1 : 0;
}

// The method is read before what belongs to it.
enum class Pass { kMethod, kRest };

void ReadWord(const std::string& word, const std::string& option, Pass pass,
              octet_tracks_config* config) {
  const size_t middle = word.find('=');
  const std::string name = word.substr(0, middle);
  const std::string value = middle == std::string::npos ? "" : word.substr(middle + 1);
  const auto refuse = [&](const std::string& why) {
    throw InputError(option + " " + word + ": " + why);
  };
  if ((name == "method") != (pass == Pass::kMethod)) return;
  if (name == "classes") {
    config->classes = Either(value, "apart", "together", refuse);
    return;
  }
  if (name == "method") {
    config->method = Either(value, kByteTrackName, kOcSortName, refuse);
    return;
  }
  for (const Field& field : kFields) {
    if (name != field.name) continue;
    const bool oc_sort = config->method == OCTET_TRACKS_OC_SORT;
    if (field.of == (oc_sort ? Of::kByteTrack : Of::kOcSort)) {
      refuse(
          "the method " + std::string(oc_sort ? kOcSortName : kByteTrackName) +
          " does not use it; remove it, or use method=" + (oc_sort ? kByteTrackName : kOcSortName));
    }
    double number = 0;
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (value.empty() || error != std::errc() || rest != end || !(number >= field.least) ||
        !(number <= field.most)) {
      refuse("expected " + name + "= with a number from " + NumberText(field.least) + " to " +
             NumberText(field.most));
    }
    config->*field.value = static_cast<uint32_t>(std::lround(number * field.unit));
    return;
  }
  refuse(
      "no such setting; use method, high, low, new, match, second, unconfirmed, iou, inertia, "
      "buffer or classes");
}

}  // namespace

octet_tracks_config ReadTracksConfig(const std::vector<std::string>& words,
                                     const std::string& option) {
  octet_tracks_config config;
  octet_tracks_defaults(&config);
  for (const Pass pass : {Pass::kMethod, Pass::kRest}) {
    for (const std::string& word : words) ReadWord(word, option, pass, &config);
  }
  if (config.low > config.high) {
    throw InputError(option + ": low is above high; set low to at most high");
  }
  return config;
}

Tracker::Tracker(uint32_t capacity, const octet_tracks_config& config)
    : memory_(octet_tracks_bytes(capacity) / sizeof(uint64_t)), all_(capacity) {
  list_.reserve(capacity);
  octet_tracks_init(memory_.data(), octet_tracks_bytes(capacity), capacity, &config, &tracks_);
}

const std::vector<octet_track>& Tracker::Frame(uint64_t time_us,
                                               const std::vector<octet_box>& boxes) {
  uint32_t count = 0;
  octet_tracks_frame(tracks_, time_us, boxes.data(), static_cast<uint32_t>(boxes.size()),
                     all_.data(), static_cast<uint32_t>(all_.size()), &count);
  list_.assign(all_.begin(), all_.begin() + count);
  return list_;
}

const std::vector<octet_track>& Tracker::Frame(uint64_t time_us, const octet_detection* detections,
                                               uint32_t count) {
  boxes_.resize(count);
  octet_tracks_boxes(detections, count, boxes_.data());
  return Frame(time_us, boxes_);
}

octet_tracks_info Tracker::Info() const {
  octet_tracks_info info;
  octet_tracks_describe(tracks_, &info);
  return info;
}

}  // namespace octet::port
