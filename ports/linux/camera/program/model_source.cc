#include "ports/linux/camera/program/model_source.h"

namespace octet::port {
namespace {

class NamedFile final : public ModelSource {
 public:
  explicit NamedFile(const std::string& path) : path_(path) {}
  void Reload(const CameraOptions& options) override { path_ = options.blob; }
  const std::string& Path() const override { return path_; }
  bool Changes() const override { return false; }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<ModelSource> ModelOfFile(const CameraOptions& options) {
  return std::make_unique<NamedFile>(options.blob);
}

}  // namespace octet::port
