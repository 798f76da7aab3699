#include "ports/linux/camera/program/mask/mask.h"

#include <utility>

#include "ports/linux/camera/program/observers.h"
#include "ports/linux/output/error.h"
#include "ports/linux/tracks/zone_words.h"

namespace octet::port {
namespace {

struct MaskOptions {
  std::vector<std::string> words;
  Polygons polygons;
};

class Masked final : public Source {
 public:
  Masked(std::unique_ptr<Source> source, const Polygons& polygons)
      : source_(std::move(source)), polygons_(polygons), views_(ViewOf(polygons_)) {}

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    const Took took = source_->Next(frame, stop);
    if (took != Took::kFrame) return took;
    const octet_frame view = frame->View();
    const octet_status painted =
        octet_mask_paint(&view, views_.data(), static_cast<uint32_t>(views_.size()));
    // Nobody may see a frame that could not be painted.
    if (painted.code != OCTET_OK) {
      throw InputError("--mask: a frame of " + std::to_string(frame->width) + "x" +
                       std::to_string(frame->height) + " cannot be painted; check --size");
    }
    return took;
  }
  bool waits() const override { return source_->waits(); }
  std::string note() const override { return source_->note(); }
  std::shared_ptr<const SourceHealth> health() const override { return source_->health(); }

 private:
  const std::unique_ptr<Source> source_;
  const Polygons polygons_;
  const std::vector<octet_polygon> views_;
};

CheckSettings DescribeMask(CommandLine& app, CameraOptions& o) {
  auto& mask = o.features.Get<MaskOptions>();
  app.Add("--mask", mask.words,
          "polygon that is painted over before anything sees the frame: 'X,Y X,Y X,Y ...' in "
          "shares of the picture; see docs/motion.md")
      .OneEach()
      .OfCamera();
  return [&mask] { mask.polygons = ReadPolygons(mask.words, "--mask"); };
}

}  // namespace

const Polygons& MasksOf(const CameraOptions& options) {
  return options.features.Get<MaskOptions>().polygons;
}

std::vector<octet_polygon> ViewOf(const Polygons& polygons) {
  std::vector<octet_polygon> views;
  for (const auto& points : polygons) {
    views.push_back({points.data(), static_cast<uint32_t>(points.size())});
  }
  return views;
}

Polygons ReadPolygons(const std::vector<std::string>& words, const std::string& option) {
  Polygons polygons;
  for (const std::string& word : words) polygons.push_back(ReadPolygon(word, option));
  if (polygons.size() > OCTET_MOST_POLYGONS) {
    throw InputError(option + ": " + std::to_string(polygons.size()) + " polygons; at most " +
                     std::to_string(OCTET_MOST_POLYGONS) + " are possible");
  }
  return polygons;
}

std::unique_ptr<Source> MaskedSource(std::unique_ptr<Source> source, const Polygons& polygons) {
  if (polygons.empty()) return source;
  return std::make_unique<Masked>(std::move(source), polygons);
}

Feature MaskFeature() {
  return {.describe = DescribeMask};
}

}  // namespace octet::port
