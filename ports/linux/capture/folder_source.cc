#include <cstdio>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/source.h"
#include "ports/linux/file.h"
#include "ports/linux/pictures/pictures.h"

namespace octet::port {
namespace {

class FolderSource : public Source {
 public:
  FolderSource(const std::string& path, double frames_per_second)
      : path_(path), pace_(frames_per_second), waits_(!(frames_per_second > 0)) {
    pictures::Listing listing = pictures::ListPictures(path);
    if (!listing.error.empty()) throw InputError(listing.error);
    files_ = std::move(listing.files);
  }

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    if (!pace_.Wait(stop)) return Took::kStopped;
    while (next_ < files_.size()) {
      const std::string& path = files_[next_++];
      if (!Read(path, frame)) continue;
      frame->name = path;
      read_any_ = true;
      return Took::kFrame;
    }
    if (!read_any_) {
      throw InputError(path_ + ": no picture can be read; replace them");
    }
    return Took::kEnd;
  }

  bool waits() const override { return waits_; }

 private:
  // One bad file must not end a program that runs for days.
  bool Read(const std::string& path, FrameBuffer* frame) {
    std::string why;
    try {
      const MappedFile file(path);
      if (decoder_.Decode(file.data(), file.bytes(), frame)) return true;
      why = path + ": " + decoder_.why();
    } catch (const InputError& error) {
      why = error.what();
    }
    std::fprintf(stderr, "octet-camera: %s; skipped\n", why.c_str());
    return false;
  }

  std::string path_;
  std::vector<std::string> files_;
  size_t next_ = 0;
  bool read_any_ = false;
  PictureDecoder decoder_;
  Pace pace_;
  bool waits_;
};

}  // namespace

std::unique_ptr<Source> OpenFolder(const std::string& path, double frames_per_second) {
  return std::make_unique<FolderSource>(path, frames_per_second);
}

}  // namespace octet::port
