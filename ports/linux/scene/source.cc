#include "ports/linux/scene/source.h"

namespace octet::port {
namespace {

class SceneSource final : public Source {
 public:
  SceneSource(const SceneConfig& config, const std::string& garments, double frames_per_second)
      : garments_(garments + "/test.npy", garments + "/labels.npy"),
        scene_(config, garments_),
        pace_(frames_per_second) {}

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    if (!pace_.Wait(stop)) return Took::kStopped;
    frame->Resize(OCTET_PIXELS_RGB24, scene_.config().width, scene_.config().height);
    for (const SceneBox& box : scene_.Render(next_++, frame->bytes.data())) {
      frame->truth.push_back({static_cast<float>(box.x0), static_cast<float>(box.y0),
                              static_cast<float>(box.x1), static_cast<float>(box.y1), box.label});
    }
    return Took::kFrame;
  }

 private:
  Garments garments_;
  Scene scene_;
  Pace pace_;
  uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Source> OpenScene(const SceneConfig& config, const std::string& garments,
                                  double frames_per_second) {
  return std::make_unique<SceneSource>(config, garments, frames_per_second);
}

}  // namespace octet::port
