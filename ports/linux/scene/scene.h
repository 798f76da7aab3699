// The built-in scene: garments of random size and colour move over a textured background, and the
// box and class of every one is known. A video is a function of its seed: frame i needs no frame
// before it, and every machine renders the same bytes (integers only, no random source of the
// library).
//
// Each of `objects` lanes holds one garment after another. A garment enters at one side, crosses
// the frame in a straight line and leaves at the other side, while its other coordinate bounces
// between the edges. Later lanes hide earlier ones. Sizes and speeds follow the frame's shorter
// side.
//
// Pixel: background (constant through the video), then for each garment in lane order
//   rgb = rgb + (colour * grey - rgb) * alpha,
// grey and alpha interpolated bilinearly from the picture, then uniform noise of +-noise, clamped.
#ifndef OCTET_PORTS_LINUX_SCENE_SCENE_H_
#define OCTET_PORTS_LINUX_SCENE_SCENE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "ports/linux/scene/garments.h"

namespace octet::port {

struct SceneConfig {
  uint32_t width = 320, height = 320;  // kMinSide to kMaxSide each
  uint32_t objects = 4;                // lanes, at most kMaxObjects
  uint32_t noise = 6;                  // at most 64
  uint64_t seed = 0;
};

// What can be seen of one garment: the smallest box (pixels x0 <= x < x1, y0 <= y < y1, inside the
// frame) around its pixels of alpha >= 1/2 that no later garment covers with alpha >= 1/2.
struct SceneBox {
  int32_t x0, y0, x1, y1;
  uint32_t label;
};

class Scene {
 public:
  static constexpr uint32_t kMinSide = 64, kMaxSide = 4096, kMaxObjects = 32, kOctaveCount = 3;
  // Garments of which less than this can be seen have no box.
  static constexpr uint32_t kVisiblePercent = 50;

  // Allocates everything; throws InputError if the configuration is out of range. `garments`
  // outlives the scene.
  Scene(const SceneConfig& config, const Garments& garments);

  // Another video of the same configuration; allocates nothing.
  void Reset(uint64_t seed);

  // Writes frame `index` as width * height * 3 bytes of RGB. The boxes, in lane order, are valid
  // until the next call. Allocates nothing.
  std::span<const SceneBox> Render(uint64_t index, uint8_t* rgb);

  const SceneConfig& config() const { return config_; }

 private:
  struct Garment;
  struct Tap {
    uint16_t texel;   // left (or upper) one of the two
    uint16_t weight;  // of the other, of 256
  };

  bool Place(uint32_t lane, uint64_t index, Garment* garment) const;
  void Draw(Garment& garment, uint8_t* rgb);
  void Measure(const Garment& garment);
  void AddNoise(uint64_t index, uint8_t* rgb) const;
  void RenderBackground();

  SceneConfig config_;
  const Garments& garments_;
  std::vector<uint8_t> lattices_[kOctaveCount];
  std::vector<uint8_t> background_;
  std::vector<uint8_t> owner_;  // by pixel: lane + 1 of the garment seen there, or 0
  std::vector<Tap> columns_;
  std::vector<SceneBox> boxes_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SCENE_SCENE_H_
