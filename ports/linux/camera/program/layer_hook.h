// Who looks at the layers of a run: octet_config.before_layer of the camera's models.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_LAYER_HOOK_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_LAYER_HOOK_H_

#include <cstdint>
#include <functional>

#include "octet/octet.h"

namespace octet::port {

// Nobody looks at the layers of a frame of the stream. Whoever runs the model for itself may.
class LayerHook {
 public:
  using Watch = std::function<void(uint32_t layer)>;

  // For octet_config; context: the hook.
  static int BeforeLayer(void* context, uint32_t layer) {
    const Watch* const watch = static_cast<const LayerHook*>(context)->watch_;
    if (watch != nullptr) (*watch)(layer);
    return 0;
  }

  // octet_run. watch: told of each layer before it runs, and of their count behind the last one.
  void Run(octet_session* session, const Watch& watch) {
    watch_ = &watch;
    octet_run(session);
    watch_ = nullptr;
    watch(octet_layer_count(session));
  }

 private:
  const Watch* watch_ = nullptr;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_LAYER_HOOK_H_
