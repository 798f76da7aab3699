#include "ports/linux/scene/scene.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace octet::port {
namespace {

constexpr int32_t kSide = Garments::kSide;
constexpr int32_t kOne = 256;             // positions are in 1/256 pixel, weights in 1/256
constexpr uint8_t kOpaque = 128;          // alpha from which a pixel counts as covered
constexpr uint32_t kReferenceSide = 320;  // sizes below are for a frame whose shorter side this is

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a bijection whose outputs over a counter are
// random.
constexpr uint64_t kGolden = 0x9E3779B97F4A7C15u;
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// A sequence of random numbers for each set of keys.
class Draws {
 public:
  Draws(uint64_t seed, uint64_t kind, uint64_t a, uint64_t b = 0)
      : state_(Mix(Mix(Mix(seed + kGolden) + kind) + a) + b) {}
  uint64_t Next() { return Mix(state_ += kGolden); }
  // 0 <= result < n. n is much smaller than 2^32, so the bias is small.
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(((Next() >> 32) * n) >> 32); }

 private:
  uint64_t state_;
};
enum Kind : uint64_t { kLane, kLife, kColours, kLattice, kNoise };

int32_t Interpolate(int32_t a, int32_t b, int32_t weight) {
  return a * (kOne - weight) + b * weight;
}

uint8_t Clamp(int32_t value) {
  return static_cast<uint8_t>(std::clamp(value, 0, 255));
}

// Octaves of the background's value noise: random values on a lattice of 2^log2 pixels.
constexpr uint32_t kOctaveLog2[Scene::kOctaveCount] = {7, 4, 2};
uint32_t LatticePoints(uint32_t pixels, uint32_t log2) {
  return (pixels >> log2) + 2;
}

}  // namespace

struct Scene::Garment {
  uint32_t lane, picture;
  int32_t left, top;      // 1/256 pixel
  int32_t width, height;  // pixels
  bool mirrored;
  int32_t colour[3];
  // Set by Draw: the pixels of the frame the picture reaches, and how many it would cover if
  // nothing hid it.
  int32_t x0, y0, x1, y1;
  int64_t covered;
};

Scene::Scene(const SceneConfig& config, const Garments& garments)
    : config_(config), garments_(garments) {
  const auto in_range = [](uint32_t side) { return side >= kMinSide && side <= kMaxSide; };
  if (!in_range(config.width) || !in_range(config.height) || config.objects > kMaxObjects ||
      config.noise > 64) {
    throw InputError(
        "scene: allowed are a side of 64 to 4096 pixels, at most 32 objects and noise of at most "
        "64; got " +
        std::to_string(config.width) + "x" + std::to_string(config.height) + ", " +
        std::to_string(config.objects) + " objects, noise " + std::to_string(config.noise));
  }
  const size_t pixels = size_t{config.width} * config.height;
  background_.resize(pixels * 3);
  owner_.resize(pixels);
  columns_.resize(config.width);
  for (uint32_t i = 0; i < kOctaveCount; ++i) {
    lattices_[i].resize(size_t{LatticePoints(config.width, kOctaveLog2[i])} *
                        LatticePoints(config.height, kOctaveLog2[i]));
  }
  boxes_.reserve(config.objects);
  RenderBackground();
}

void Scene::Reset(uint64_t seed) {
  config_.seed = seed;
  RenderBackground();
}

// Two colours mixed by large, middle and fine patches; within a lattice cell bilinear with
// smoothstep weights, 3t^2 - 2t^3.
void Scene::RenderBackground() {
  Draws draws(config_.seed, kColours, 0);
  int32_t from[3], to[3];
  for (int32_t& channel : from) channel = 20 + static_cast<int32_t>(draws.Below(200));
  for (int32_t& channel : to) channel = 20 + static_cast<int32_t>(draws.Below(200));
  // Weight of each octave, of 256.
  int32_t share[kOctaveCount];
  share[0] = 128 + static_cast<int32_t>(draws.Below(64));
  share[2] = static_cast<int32_t>(draws.Below(48));
  share[1] = kOne - share[0] - share[2];
  for (uint32_t i = 0; i < kOctaveCount; ++i) {
    Draws values(config_.seed, kLattice, i);
    for (uint8_t& value : lattices_[i]) value = static_cast<uint8_t>(values.Next() >> 56);
  }
  const auto smooth = [](uint32_t position, uint32_t log2) {
    const uint32_t t = ((position & ((1u << log2) - 1)) << 8) >> log2;
    return static_cast<int32_t>(t * t * (3 * 256 - 2 * t) >> 16);
  };
  uint8_t* pixel = background_.data();
  for (uint32_t y = 0; y < config_.height; ++y) {
    for (uint32_t x = 0; x < config_.width; ++x, pixel += 3) {
      int32_t mix = 0;
      for (uint32_t i = 0; i < kOctaveCount; ++i) {
        const uint32_t log2 = kOctaveLog2[i], points = LatticePoints(config_.width, log2);
        const uint8_t* corner = lattices_[i].data() + size_t{y >> log2} * points + (x >> log2);
        const int32_t weight = smooth(x, log2);
        const int32_t upper = Interpolate(corner[0], corner[1], weight);
        const int32_t lower = Interpolate(corner[points], corner[points + 1], weight);
        mix += (Interpolate(upper, lower, smooth(y, log2)) >> 16) * share[i];
      }
      for (int c = 0; c < 3; ++c) pixel[c] = Clamp(Interpolate(from[c], to[c], mix >> 8) >> 8);
    }
  }
}

// Place and garment of `lane` at frame `index`. False: the lane is empty.
bool Scene::Place(uint32_t lane, uint64_t index, Garment* garment) const {
  Draws constants(config_.seed, kLane, lane);
  const uint32_t period = 128 + constants.Below(128);  // frames a garment lives
  const uint64_t age = index + constants.Below(period);
  const auto t = static_cast<int64_t>(age % period);
  Draws draws(config_.seed, kLife, lane, age / period * kGolden);

  if (draws.Below(8) == 0) return false;
  garment->lane = lane;
  garment->picture = draws.Below(garments_.count());
  garment->mirrored = draws.Below(2) != 0;
  // Squared, so that small ones, which leave the others visible, are more frequent: 56 to 144
  // pixels, 85 in the mean.
  const uint32_t u = draws.Below(1024);
  const uint32_t size = 56 + (88 * u * u >> 20);
  const uint32_t side = std::min(config_.width, config_.height);
  garment->height = static_cast<int32_t>(size * side / kReferenceSide);
  garment->width = garment->height * static_cast<int32_t>(205 + draws.Below(103)) / kOne;
  // A colour of full brightness, so that grey alone decides how dark the garment is.
  const uint32_t full = draws.Below(3);
  for (uint32_t c = 0; c < 3; ++c) {
    garment->colour[c] = c == full ? kOne : 96 + static_cast<int32_t>(draws.Below(160));
  }

  const bool vertical = draws.Below(2) != 0;
  const bool reversed = draws.Below(2) != 0;
  const int64_t width = garment->width * kOne, height = garment->height * kOne;
  const int64_t room_x = int64_t{config_.width} * kOne - width;
  const int64_t room_y = int64_t{config_.height} * kOne - height;
  // Enters and leaves within a sixteenth of its life, so that the frame's edge cuts few boxes.
  const int64_t extent = vertical ? height : width;
  const int64_t way = vertical ? room_y : room_x;
  const int64_t edge = period / 16;
  int64_t along = way * (t - edge) / (period - 2 * edge);
  if (t < edge) along = extent * t / edge - extent;
  if (t >= period - edge) along = way + extent * (t - (period - edge)) / edge;
  if (reversed) along = way - along;
  // A triangle wave between the other two edges; at most two of its periods in a life.
  const int64_t room = vertical ? room_x : room_y;
  const int64_t start = room * 2 * draws.Below(1024) / 1024;
  const int64_t moved = start + room * draws.Below(1024) * t / (256 * 256);
  const int64_t phase = moved % (2 * room);
  const int64_t across = phase < room ? phase : 2 * room - phase;
  garment->left = static_cast<int32_t>(vertical ? across : along);
  garment->top = static_cast<int32_t>(vertical ? along : across);
  return true;
}

// Composites the garment and marks the pixels it covers.
void Scene::Draw(Garment& garment, uint8_t* rgb) {
  // Pixels whose centre lies in [position, position + extent), inside the frame.
  const auto first = [](int32_t position) { return std::max(0, (position + kOne / 2 - 1) >> 8); };
  const auto last = [](int32_t position, int32_t extent, uint32_t limit) {
    return std::min(static_cast<int32_t>(limit), (position + extent * kOne + kOne / 2 - 1) >> 8);
  };
  // Both texels a pixel's centre lies between, half-pixel centres, clamped at the picture's edge.
  const auto tap = [](int32_t pixel, int32_t position, int32_t extent) {
    const int32_t texel = (pixel * kOne + kOne / 2 - position) * kSide / extent - kOne / 2;
    const int32_t clamped = std::clamp(texel, 0, (kSide - 1) * kOne);
    return Tap{static_cast<uint16_t>(clamped >> 8), static_cast<uint16_t>(clamped & 255)};
  };
  const int32_t x0 = garment.x0 = first(garment.left);
  const int32_t y0 = garment.y0 = first(garment.top);
  const int32_t x1 = garment.x1 = last(garment.left, garment.width, config_.width);
  const int32_t y1 = garment.y1 = last(garment.top, garment.height, config_.height);
  for (int32_t x = x0; x < x1; ++x)
    columns_[static_cast<size_t>(x)] = tap(x, garment.left, garment.width);

  // Grey and alpha with the last row and column twice, so that clamped taps need no test. Dark
  // noise around the garments (values up to 8) stays invisible; from 24 on they are opaque.
  int32_t grey[kSide + 1][kSide + 1], alpha[kSide + 1][kSide + 1];
  const uint8_t* picture = garments_.picture(garment.picture);
  for (int32_t v = 0; v <= kSide; ++v) {
    for (int32_t u = 0; u <= kSide; ++u) {
      const int32_t texel = std::min(u, kSide - 1);
      const int32_t row = std::min(v, kSide - 1);
      grey[v][u] = picture[row * kSide + (garment.mirrored ? kSide - 1 - texel : texel)];
      alpha[v][u] = std::clamp((grey[v][u] - 8) * 16, 0, 255);
    }
  }
  for (int32_t y = y0; y < y1; ++y) {
    const Tap row = tap(y, garment.top, garment.height);
    const size_t at = static_cast<size_t>(y) * config_.width;
    for (int32_t x = x0; x < x1; ++x) {
      const Tap column = columns_[static_cast<size_t>(x)];
      const auto sample = [&](const int32_t(*texels)[kSide + 1]) {
        const int32_t* upper = texels[row.texel] + column.texel;
        const int32_t* lower = texels[row.texel + 1] + column.texel;
        return Interpolate(Interpolate(upper[0], upper[1], column.weight),
                           Interpolate(lower[0], lower[1], column.weight), row.weight) >>
               16;
      };
      const int32_t a = sample(alpha);
      if (a == 0) continue;
      const int32_t weight = a + (a >> 7);  // 255 covers fully
      const int32_t shade = sample(grey);
      uint8_t* pixel = rgb + (at + static_cast<size_t>(x)) * 3;
      for (int c = 0; c < 3; ++c) {
        const int32_t colour = garment.colour[c] * shade >> 8;
        pixel[c] = static_cast<uint8_t>(Interpolate(pixel[c], colour, weight) >> 8);
      }
      if (a >= kOpaque)
        owner_[at + static_cast<size_t>(x)] = static_cast<uint8_t>(garment.lane + 1);
    }
  }

  int64_t opaque = 0;
  for (int32_t v = 0; v < kSide; ++v) {
    for (int32_t u = 0; u < kSide; ++u) opaque += alpha[v][u] >= kOpaque ? 1 : 0;
  }
  garment.covered = opaque * garment.width * garment.height / (kSide * kSide);
}

// Appends the garment's box if enough of it can be seen.
void Scene::Measure(const Garment& garment) {
  SceneBox box{garment.x1, garment.y1, garment.x0, garment.y0, garments_.label(garment.picture)};
  int64_t visible = 0;
  for (int32_t y = garment.y0; y < garment.y1; ++y) {
    const uint8_t* row = owner_.data() + static_cast<size_t>(y) * config_.width;
    for (int32_t x = garment.x0; x < garment.x1; ++x) {
      if (row[x] != garment.lane + 1) continue;
      ++visible;
      box.x0 = std::min(box.x0, x);
      box.x1 = std::max(box.x1, x + 1);
      box.y0 = std::min(box.y0, y);
      box.y1 = std::max(box.y1, y + 1);
    }
  }
  if (visible > 0 && visible * 100 >= garment.covered * kVisiblePercent) boxes_.push_back(box);
}

std::span<const SceneBox> Scene::Render(uint64_t index, uint8_t* rgb) {
  std::memcpy(rgb, background_.data(), background_.size());
  std::memset(owner_.data(), 0, owner_.size());
  std::array<Garment, kMaxObjects> placed;
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < config_.objects; ++lane) {
    if (!Place(lane, index, &placed[count])) continue;
    Draw(placed[count++], rgb);
  }
  AddNoise(index, rgb);
  boxes_.clear();
  for (uint32_t i = 0; i < count; ++i) Measure(placed[i]);
  return boxes_;
}

void Scene::AddNoise(uint64_t index, uint8_t* rgb) const {
  if (config_.noise == 0) return;
  const int32_t span = 2 * static_cast<int32_t>(config_.noise) + 1;
  const size_t bytes = background_.size();
  Draws draws(config_.seed, kNoise, index);
  for (size_t i = 0; i < bytes; i += 8) {
    const uint64_t random = draws.Next();
    const size_t n = std::min<size_t>(8, bytes - i);
    for (size_t k = 0; k < n; ++k) {
      const int32_t byte = static_cast<int32_t>(random >> (8 * k) & 255);
      rgb[i + k] = Clamp(rgb[i + k] + (byte * span >> 8) - static_cast<int32_t>(config_.noise));
    }
  }
}

}  // namespace octet::port
