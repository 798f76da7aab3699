// C++ over octet/motion.h and octet/mask.h: the same calls as members, without cost at run time.
// C++17. It throws no exceptions and does not allocate.
#ifndef OCTET_MOTION_HPP_
#define OCTET_MOTION_HPP_

#include "octet/motion.h"

namespace octet {

// It does not own its memory, which must outlive it.
class Motion {
 public:
  static octet_motion_config Defaults() {
    octet_motion_config config;
    octet_motion_defaults(&config);
    return config;
  }
  static size_t Bytes(const octet_motion_config& config) { return octet_motion_bytes(&config); }

  octet_status Init(void* memory, size_t memory_bytes, const octet_motion_config& config) {
    return octet_motion_init(memory, memory_bytes, &config, &motion_);
  }
  octet_status Frame(uint64_t time_us, const octet_frame& frame, octet_motion_answer* answer) {
    return octet_motion_frame(motion_, time_us, &frame, answer);
  }
  void Reset() { octet_motion_reset(motion_); }
  octet_status Get(void* memory, size_t bytes) const {
    return octet_motion_get(motion_, memory, bytes);
  }
  octet_status Set(const void* memory, size_t bytes) {
    return octet_motion_set(motion_, memory, bytes);
  }

 private:
  octet_motion* motion_ = nullptr;
};

// The planes of the frame are written.
inline octet_status PaintMask(const octet_frame& frame, const octet_polygon* polygons,
                              uint32_t count) {
  return octet_mask_paint(&frame, polygons, count);
}

}  // namespace octet

#endif  // OCTET_MOTION_HPP_
