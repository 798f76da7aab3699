// Whose frame runs next: turns of several cameras on one engine. Pure: the caller has the clock.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TURNS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace octet::port {

// Of the cameras that have a frame, the one whose last turn is the longest ago runs: each waits for
// at most one frame of every other camera, and one that comes back is owed nothing. A camera that
// has used its budget waits until it has some again.
class Turns {
 public:
  // budgets: the share of the time, over 0 and at most 1, that the frames of a camera may take.
  explicit Turns(const std::vector<double>& budgets);

  struct Next {
    std::optional<size_t> camera;
    uint64_t again_ns = UINT64_MAX;  // without one: when a camera with a frame has a budget again
  };
  // has_frame: of each camera.
  Next Choose(const std::vector<bool>& has_frame, uint64_t now_ns);
  // Its frame has run, and took from begun_ns to done_ns.
  void Ran(size_t camera, uint64_t begun_ns, uint64_t done_ns);

 private:
  struct Camera {
    double budget;
    uint64_t turn = 0;     // number of the last one; 0: none yet
    uint64_t free_ns = 0;  // from then on it may run
  };
  std::vector<Camera> cameras_;
  uint64_t turns_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TURNS_H_
