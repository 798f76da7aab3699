// A request of DeepStack's clients, and the answer as DeepStack and CodeProject.AI give it.
#ifndef OCTET_PORTS_LINUX_SERVE_DEEPSTACK_FORM_H_
#define OCTET_PORTS_LINUX_SERVE_DEEPSTACK_FORM_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "octet/octet.h"
#include "ports/linux/serve/engine/label_map.h"
#include "ports/linux/serve/web/exchange.h"

namespace octet::port::serve {

struct DetectionForm {
  std::string_view image;  // a file; into the body
  std::string_view api_key;
  float min_confidence = kDefaultConfidence;

  // As CodeProject.AI has it; Frigate's client sends none, and reads down to it.
  static constexpr float kDefaultConfidence = 0.4f;
};

// False, with *why. Without an image it is done all the same: the key counts first.
bool ReadDetectionForm(std::string_view content_type, std::string_view body, DetectionForm* form,
                       std::string* why);

struct DetectionTimes {
  uint64_t run_ns = 0, process_ns = 0, round_trip_ns = 0;
};

// JSON: at most kMostAnswers boxes, best first, in pixels of the picture; those of a class that the
// caller does not have are left out.
std::string DetectionAnswer(std::span<const octet_detection> found, const ClassNumbers& numbers,
                            const DetectionTimes& times);
WebReply DetectionError(unsigned status, const std::string& why);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_DEEPSTACK_FORM_H_
