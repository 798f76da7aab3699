#include "ports/linux/serve/deepstack/form.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ports/linux/serve/deepstack/multipart.h"
#include "ports/linux/serve/engine/context.h"

namespace octet::port::serve {
namespace {

using nlohmann::ordered_json;

// Of a number that floats hold: the shortest text that gives it again, not that of a double.
double AsPrinted(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  double printed = 0;
  std::from_chars(text, end, printed);
  return printed;
}

int64_t Pixel(float place) {
  return std::lrint(place);
}

int64_t Milliseconds(uint64_t ns) {
  return static_cast<int64_t>((ns + 500'000) / 1'000'000);
}

std::string Text(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

bool ReadDetectionForm(std::string_view content_type, std::string_view body, DetectionForm* form,
                       std::string* why) {
  *form = {};
  const std::string_view boundary = BoundaryOf(content_type);
  if (boundary.empty()) {
    *why = "the request is not a form; send multipart/form-data with the file 'image'";
    return false;
  }
  std::vector<FormPart> parts;
  if (!ReadForm(body, boundary, &parts, why)) return false;
  bool named = false;
  for (const FormPart& part : parts) {
    if (part.name == "api_key") {
      form->api_key = part.data;
    } else if (part.name == "min_confidence" && !Trimmed(part.data).empty()) {
      const std::string_view text = Trimmed(part.data);
      const char* const end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, form->min_confidence);
      if (error != std::errc() || stop != end || !(form->min_confidence >= 0.0f) ||
          form->min_confidence > 1.0f) {
        *why = "min_confidence is not a number from 0 to 1; send for instance 0.4";
        return false;
      }
    } else if (part.name == "image" || (part.is_file && !named && form->image.empty())) {
      // Some clients name their file otherwise.
      named = part.name == "image";
      form->image = part.data;
    }
  }
  return true;
}

std::string DetectionAnswer(std::span<const octet_detection> found, const ClassNumbers& numbers,
                            const DetectionTimes& times) {
  ordered_json predictions = ordered_json::array();
  for (const octet_detection& box : found) {
    if (predictions.size() == kMostAnswers) break;
    if (numbers.NumberOf(box.label) == ClassNumbers::kNone) continue;
    std::string label(numbers.NameOf(box.label));
    if (label.empty()) label = std::to_string(box.label);
    predictions.push_back({{"label", label},
                           {"confidence", AsPrinted(box.score)},
                           {"x_min", Pixel(box.x0)},
                           {"y_min", Pixel(box.y0)},
                           {"x_max", Pixel(box.x1)},
                           {"y_max", Pixel(box.y1)}});
  }
  const size_t count = predictions.size();
  return Text({{"success", true},
               {"predictions", std::move(predictions)},
               {"count", count},
               {"inferenceMs", Milliseconds(times.run_ns)},
               {"processMs", Milliseconds(times.process_ns)},
               {"analysisRoundTripMs", Milliseconds(times.round_trip_ns)},
               {"code", 200}});
}

WebReply DetectionError(unsigned status, const std::string& why) {
  return {status, "application/json", Text({{"success", false}, {"error", why}, {"code", status}})};
}

}  // namespace octet::port::serve
