// The garments of the built-in scene: Fashion-MNIST's pictures (28x28 grey, 10 classes) as
// demo/pictures.py writes them.
#ifndef OCTET_PORTS_LINUX_SCENE_GARMENTS_H_
#define OCTET_PORTS_LINUX_SCENE_GARMENTS_H_

#include <cstdint>
#include <string>

#include "ports/linux/capture/npy.h"

namespace octet::port {

// Pictures uint8 [N,28,28] or [N,28,28,1], 0 is the background; labels uint8 [N], each below
// kClassCount. Both files stay mapped.
class Garments {
 public:
  static constexpr uint32_t kSide = 28;
  static constexpr uint32_t kClassCount = 10;

  // Throws InputError (one line: what, where, what to do).
  Garments(const std::string& pictures_path, const std::string& labels_path);

  uint32_t count() const { return count_; }
  const uint8_t* picture(uint32_t index) const {
    return pictures_.bytes() + uint64_t{index} * kSide * kSide;
  }
  uint32_t label(uint32_t index) const { return labels_.bytes()[index]; }

 private:
  NpyArray pictures_, labels_;
  uint32_t count_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SCENE_GARMENTS_H_
