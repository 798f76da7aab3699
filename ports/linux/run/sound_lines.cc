#include "ports/linux/run/sound_lines.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "ports/linux/output/whole.h"

namespace octet::port {
namespace {

void Append(double value, const char* format, std::string* line) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  *line += std::isfinite(value) ? text : "null";
}

}  // namespace

SoundLines::SoundLines(const Model& model) {
  const BlobView& blob = model.blob();
  for (uint32_t i = 0; i < blob.model->output_count; ++i) {
    const nlohmann::json name = StringAt(blob, blob.outputs[i].name);
    names_.push_back(name.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  }
}

void SoundLines::Print(const Sound& sound, const std::vector<std::vector<float>>& values) {
  line_ = "{\"window\":" + std::to_string(sound.window()) + ",\"end_s\":";
  Append(sound.end_s(), "%.6g", &line_);
  if (sound.missing() > 0) line_ += ",\"missing\":" + std::to_string(sound.missing());
  line_ += ",\"outputs\":{";
  for (size_t i = 0; i < values.size(); ++i) {
    line_ += (i == 0 ? "" : ",") + names_[i] + ":[";
    for (size_t k = 0; k < values[i].size(); ++k) {
      if (k > 0) line_ += ',';
      Append(static_cast<double>(values[i][k]), "%.9g", &line_);  // all bits of a float
    }
    line_ += ']';
  }
  line_ += "}}\n";
  if (WriteWhole(STDOUT_FILENO, line_.data(), line_.size())) return;
  if (errno != EPIPE) throw InputError("stdout: " + ErrorText(errno) + "; use another place");
  throw InputError("stdout: nothing reads the results; keep the reader open, or use a file");
}

}  // namespace octet::port
