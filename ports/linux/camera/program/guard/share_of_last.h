// Agreement of classes over some shadow runs. One comparison is 0 or 1, so consecutive frames do
// not detect a plan that is wrong in one of five frames. Of the last 20, three differences are
// below 90 %; one may be chance.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_SHARE_OF_LAST_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_SHARE_OF_LAST_H_

#include <cstdint>

namespace octet::port {

class ShareOfLast {
 public:
  static constexpr uint32_t kRuns = 20;

  // Per mille of the last kRuns that were `true`; runs before the first count as such.
  uint32_t Add(bool same) {
    same_ = same_ << 1 | (same ? 1u : 0u);
    uint32_t count = 0;
    for (uint32_t i = 0; i < kRuns; ++i) count += same_ >> i & 1;
    return count * 1000 / kRuns;
  }

 private:
  uint32_t same_ = ~uint32_t{0};  // the newest in the lowest bit
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_SHARE_OF_LAST_H_
