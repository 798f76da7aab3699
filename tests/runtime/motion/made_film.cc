#include "tests/runtime/motion/made_film.h"

#include <turbojpeg.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace octet::film {
namespace {

constexpr double kPi = 3.14159265358979323846;

double Smooth(double t) {
  return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t);
}

// 1 inside [from, to], 0 outside, the covered share of the pixel [at, at + 1] at the edges.
double Cover(double at, double from, double to) {
  return std::clamp(std::min(at + 1, to) - std::max(at, from), 0.0, 1.0);
}

}  // namespace

Film::Film(const Made& made)
    : made_(made), random_(made.seed * 2654435761u + 88172645463325252ull) {
  // Inverse of the normal distribution at the middles of 4096 equal shares, by Newton's method.
  normal_.resize(4096);
  for (size_t i = 0; i < normal_.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(normal_.size());
    double z = 0;
    for (int step = 0; step < 60; ++step) {
      const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
      z += std::clamp((share - p) / (std::exp(-z * z / 2) / std::sqrt(2 * kPi)), -0.5, 0.5);
    }
    normal_[i] = static_cast<float>(z);
  }
  // A slope of light, flat walls, and texture of several sizes in a part of the picture.
  scene_.assign(size_t{made.width} * made.height, 0);
  const auto share = [&] { return Random() / 4294967296.0; };
  const double slope_x = 60 * share() - 30, slope_y = 60 * share() - 30;
  struct Wall {
    double x0, y0, x1, y1, level;
  };
  std::vector<Wall> walls;
  for (int i = 0; i < 12; ++i) {
    const double x = share(), y = share();
    walls.push_back({x, y, x + 0.1 + 0.3 * share(), y + 0.1 + 0.4 * share(), 160 * share() - 80});
  }
  struct Wave {
    double x, y, phase, level;
  };
  std::vector<Wave> waves;
  for (int i = 0; i < 8; ++i) {
    const double size = std::pow(2.0, 1 + i), turn = 2 * kPi * share();
    waves.push_back({size * std::cos(turn), size * std::sin(turn), 2 * kPi * share(), 12.0});
  }
  for (uint32_t y = 0; y < made.height; ++y) {
    for (uint32_t x = 0; x < made.width; ++x) {
      const double u = (x + 0.5) / made.width, v = (y + 0.5) / made.height;
      double level = 120 + slope_x * (u - 0.5) + slope_y * (v - 0.5);
      for (const Wall& wall : walls) {
        if (u >= wall.x0 && u < wall.x1 && v >= wall.y0 && v < wall.y1) level += wall.level;
      }
      const double textured = Smooth((u - 0.4) * 5);
      for (const Wave& wave : waves) {
        level += textured * wave.level * std::sin(2 * kPi * (wave.x * u + wave.y * v) + wave.phase);
      }
      scene_[size_t{y} * made.width + x] = static_cast<float>(std::clamp(level, 16.0, 225.0));
    }
  }
  painted_.resize(scene_.size());
  pixels_.resize(scene_.size());
}

uint32_t Film::Random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<uint32_t>((random_ * 2685821657736338717ull) >> 32);
}

double Film::GainAt(double time_s, double x, double y) const {
  const double phase = time_s / made_.light_s;
  switch (made_.light) {
    case Light::kSteady:
    case Light::kOffset:
      return 1;
    case Light::kGain:
      return 1 + made_.depth * std::sin(2 * kPi * phase) / 2;
    case Light::kExposure:
      return 1 + made_.depth * ((static_cast<int>(phase) % 2 != 0 ? 1 : 0) - 0.5);
    case Light::kCloud: {
      // An edge of a shadow, half a picture wide, passes the picture in a quarter of the period.
      const double at = 4 * (phase - std::floor(phase)) - 0.5;
      const double along = 0.8 * x + 0.2 * y;
      return 1 - made_.depth * (Smooth((at - along) * 2) - Smooth((at - 2 - along) * 2));
    }
  }
  return 1;
}

void Film::Paint(double time_s) {
  if (made_.light == Light::kSteady) {
    painted_ = scene_;
    return;
  }
  const double offset = made_.light == Light::kOffset
                            ? 128 * made_.depth * std::sin(2 * kPi * time_s / made_.light_s) / 2
                            : 0;
  const bool is_local = made_.light == Light::kCloud;
  const double everywhere = GainAt(time_s, 0, 0);
  for (uint32_t y = 0; y < made_.height; ++y) {
    for (uint32_t x = 0; x < made_.width; ++x) {
      const double gain =
          is_local ? GainAt(time_s, (x + 0.5) / made_.width, (y + 0.5) / made_.height) : everywhere;
      const size_t i = size_t{y} * made_.width + x;
      painted_[i] = static_cast<float>(scene_[i] * gain + offset);
    }
  }
}

void Film::AddObject(double time_s) {
  if (made_.area == 0 || (time_s < made_.begin_s && !made_.is_there_before)) return;
  const double pixels = made_.area * made_.width * made_.height;
  const double width = std::sqrt(pixels * made_.aspect), height = std::sqrt(pixels / made_.aspect);
  const double way = made_.speed * std::max(time_s - made_.begin_s, 0.0);
  const double left = made_.x + way * std::cos(made_.angle),
               top = made_.y + way * std::sin(made_.angle);
  const auto end = [](double edge, uint32_t most) {
    return static_cast<uint32_t>(std::clamp(std::ceil(edge), 0.0, static_cast<double>(most)));
  };
  const auto begin_x = static_cast<uint32_t>(std::max(left, 0.0));
  for (auto y = static_cast<uint32_t>(std::max(top, 0.0)); y < end(top + height, made_.height);
       ++y) {
    const double cover_y = Cover(y, top, top + height);
    for (uint32_t x = begin_x; x < end(left + width, made_.width); ++x) {
      painted_[size_t{y} * made_.width + x] +=
          static_cast<float>(made_.contrast * cover_y * Cover(x, left, left + width));
    }
  }
}

void Film::AddNoise() {
  const auto noise = static_cast<float>(made_.noise);
  for (size_t i = 0; i < painted_.size(); i += 2) {
    const uint32_t random = Random();
    const float first = painted_[i] + noise * normal_[random & 4095];
    pixels_[i] = static_cast<uint8_t>(std::clamp(first + 0.5f, 0.0f, 255.0f));
    if (i + 1 == painted_.size()) break;
    const float second = painted_[i + 1] + noise * normal_[random >> 12 & 4095];
    pixels_[i + 1] = static_cast<uint8_t>(std::clamp(second + 0.5f, 0.0f, 255.0f));
  }
}

const uint8_t* Film::Next() {
  const double time_s = static_cast<double>(frame_) / made_.fps;
  time_us_ = static_cast<uint64_t>(1e6 * time_s);
  ++frame_;
  Paint(time_s);
  AddObject(time_s);
  AddNoise();
  if (made_.jpeg == 0) return pixels_.data();
  thread_local const tjhandle pack = tjInitCompress(), unpack = tjInitDecompress();
  const auto width = static_cast<int>(made_.width), height = static_cast<int>(made_.height);
  packed_.resize(tjBufSize(width, height, TJSAMP_GRAY));
  unsigned char* to = packed_.data();
  unsigned long bytes = packed_.size();
  if (tjCompress2(pack, pixels_.data(), width, 0, height, TJPF_GRAY, &to, &bytes, TJSAMP_GRAY,
                  made_.jpeg, TJFLAG_NOREALLOC) != 0 ||
      tjDecompress2(unpack, to, bytes, pixels_.data(), width, 0, height, TJPF_GRAY, 0) != 0) {
    throw std::runtime_error("libjpeg-turbo refuses a picture");
  }
  return pixels_.data();
}

}  // namespace octet::film
