#include <algorithm>
#include <cctype>
#include <filesystem>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/source.h"
#include "ports/linux/file.h"

namespace octet::port {
namespace {

namespace fs = std::filesystem;

bool IsPicture(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* known : {".jpg", ".jpeg", ".png", ".bmp", ".ppm", ".pgm"}) {
    if (extension == known) return true;
  }
  return false;
}

class FolderSource : public Source {
 public:
  FolderSource(const std::string& path, double frames_per_second)
      : pace_(frames_per_second), waits_(!(frames_per_second > 0)) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      if (IsPicture(entry.path())) files_.push_back(entry.path().string());
    }
    if (error) throw InputError(path + ": " + error.message());
    if (files_.empty()) {
      throw InputError(path + ": holds no pictures (.jpg .jpeg .png .bmp .ppm .pgm)");
    }
    std::sort(files_.begin(), files_.end());
  }

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    if (!pace_.Wait(stop)) return Took::kStopped;
    while (next_ < files_.size()) {
      const MappedFile file(files_[next_++]);
      if (decoder_.Decode(file.data(), file.bytes(), frame)) return Took::kFrame;
      std::fprintf(stderr, "octet-camera: %s: %s; left out\n", file.path().c_str(), decoder_.why());
    }
    return Took::kEnd;
  }

  bool waits() const override { return waits_; }

 private:
  std::vector<std::string> files_;
  size_t next_ = 0;
  PictureDecoder decoder_;
  Pace pace_;
  bool waits_;
};

}  // namespace

std::unique_ptr<Source> OpenFolder(const std::string& path, double frames_per_second) {
  return std::make_unique<FolderSource>(path, frames_per_second);
}

}  // namespace octet::port
