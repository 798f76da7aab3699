#include "ports/linux/capture/disturb.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

struct Plane {
  uint8_t* data;
  size_t width, height;  // samples of all channels in a row
  size_t channels;       // that stand side by side
};

// What is seen as brightness: all of RGB and grey, Y of YUV, every second byte of YUYV.
Plane Brightness(FrameBuffer* frame) {
  const size_t channels = frame->format == OCTET_PIXELS_RGB24  ? 3
                          : frame->format == OCTET_PIXELS_YUYV ? 2
                                                               : 1;
  const size_t pixels =
      frame->format == OCTET_PIXELS_YUYV ? (frame->width + 1) / 2 * 2 : frame->width;
  return {frame->Plane(0), pixels * channels, frame->height, channels};
}

uint8_t Byte(double value) {
  return static_cast<uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

// The sum of 4 uniform numbers of 16 bits, centred: nearly normal, standard deviation 1.
double Normal(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  uint64_t bits = *state ^ *state >> 29;
  bits *= 0xBF58476D1CE4E5B9u;
  bits ^= bits >> 32;
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>(bits >> (16 * i) & 0xFFFF);
  return (sum / 65535 - 2) * std::sqrt(3.0);
}

template <typename Change>
void EachByte(FrameBuffer* frame, Change change) {
  const Plane plane = Brightness(frame);
  const size_t step = frame->format == OCTET_PIXELS_YUYV ? 2 : 1;
  for (size_t i = 0; i < plane.width * plane.height; i += step) {
    plane.data[i] = change(plane.data[i]);
  }
}

// Means over 2 * radius + 1 bytes of a line, `step` apart; the ends are repeated.
void BlurLine(uint8_t* line, size_t count, size_t step, size_t radius, std::vector<uint8_t>* copy) {
  copy->resize(count);
  for (size_t i = 0; i < count; ++i) (*copy)[i] = line[i * step];
  const auto at = [&](size_t i) { return uint32_t{(*copy)[std::min(i, count - 1)]}; };
  uint32_t sum = 0;
  for (size_t i = 0; i <= 2 * radius; ++i) sum += at(i < radius ? 0 : i - radius);
  const auto window = static_cast<uint32_t>(2 * radius + 1);
  for (size_t i = 0; i < count; ++i) {
    line[i * step] = static_cast<uint8_t>((sum + window / 2) / window);
    sum += at(i + radius + 1) - at(i < radius ? 0 : i - radius);
  }
}

void Blur(FrameBuffer* frame, size_t radius) {
  const Plane plane = Brightness(frame);
  const size_t pixels = plane.width / plane.channels;
  const size_t seen = frame->format == OCTET_PIXELS_YUYV ? 1 : plane.channels;
  std::vector<uint8_t> copy;
  for (size_t c = 0; c < seen; ++c) {
    for (size_t y = 0; y < plane.height; ++y) {
      BlurLine(plane.data + y * plane.width + c, pixels, plane.channels, radius, &copy);
    }
    for (size_t x = 0; x < pixels; ++x) {
      BlurLine(plane.data + x * plane.channels + c, plane.height, plane.width, radius, &copy);
    }
  }
}

class Disturbed : public Source {
 public:
  Disturbed(std::unique_ptr<Source> source, std::vector<Disturbance> disturbances)
      : source_(std::move(source)), disturbances_(std::move(disturbances)) {}

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    const Took took = source_->Next(frame, stop);
    if (took != Took::kFrame) return took;
    next_ += frame->passed_over;
    frame->number = next_++;
    Disturb(disturbances_, frame);
    return took;
  }
  bool waits() const override { return source_->waits(); }
  std::string note() const override { return source_->note(); }
  std::shared_ptr<const SourceHealth> health() const override { return source_->health(); }

 private:
  std::unique_ptr<Source> source_;
  std::vector<Disturbance> disturbances_;
  uint64_t next_ = 0;
};

}  // namespace

std::vector<Disturbance> ReadDisturbances(const std::string& text) {
  std::vector<Disturbance> disturbances;
  std::istringstream list(text);
  for (std::string entry; std::getline(list, entry, ',');) {
    char word[16] = {}, rest = 0;
    double amount = 0;
    unsigned long long first = 0, last = UINT64_MAX;
    const size_t at = entry.find('@');
    const std::string frames = at == std::string::npos ? "0-" : entry.substr(at + 1);
    const bool has_amount =
        std::sscanf(entry.substr(0, at).c_str(), "%15[a-z]:%lf%c", word, &amount, &rest) == 2;
    const int numbers = std::sscanf(frames.c_str(), "%llu-%llu%c", &first, &last, &rest);
    const bool has_frames = numbers == 2 || (numbers == 1 && frames.back() == '-');
    const std::string kind = word;
    if (!has_amount || !has_frames || first > last || !(amount > 0) || amount > 1000 ||
        (kind != "noise" && kind != "blur" && kind != "exposure")) {
      throw InputError("--disturb " + entry +
                       ": expected noise, blur or exposure with an amount and frames, as in "
                       "noise:40@300-599,exposure:2.5@900-");
    }
    const Damage damage = kind == "noise"  ? Damage::kNoise
                          : kind == "blur" ? Damage::kBlur
                                           : Damage::kExposure;
    disturbances.push_back({damage, amount, first, last});
  }
  return disturbances;
}

void Disturb(const std::vector<Disturbance>& disturbances, FrameBuffer* frame) {
  for (const Disturbance& d : disturbances) {
    if (frame->number < d.first || frame->number > d.last) continue;
    switch (d.damage) {
      case Damage::kNoise: {
        uint64_t state = frame->number * 0x9E3779B97F4A7C15u + 1;
        EachByte(frame, [&](uint8_t byte) { return Byte(byte + d.amount * Normal(&state)); });
        break;
      }
      case Damage::kBlur:
        Blur(frame, static_cast<size_t>(std::ceil(d.amount)));
        break;
      case Damage::kExposure:
        EachByte(frame, [&](uint8_t byte) { return Byte(byte * d.amount); });
        break;
    }
  }
}

std::unique_ptr<Source> DisturbedSource(std::unique_ptr<Source> source,
                                        std::vector<Disturbance> disturbances) {
  return std::make_unique<Disturbed>(std::move(source), std::move(disturbances));
}

}  // namespace octet::port
