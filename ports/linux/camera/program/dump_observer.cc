// --dump: every annotated frame as a picture. The disk is the business of the thread for storage:
// of a live source a picture that it has no time for is left out and counted.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ports/linux/camera/program/draw.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/capture/jpeg.h"
#include "ports/linux/output/output_file.h"

namespace octet::port {
namespace {

constexpr int kDumpJpegQuality = 90;

class DumpObserver final : public Observer {
 public:
  DumpObserver(const CameraOptions& options, Shared& shared) : options_(options), shared_(shared) {}

  void Start(const Loaded&) override {
    std::error_code error;
    std::filesystem::create_directories(options_.dump, error);
    if (error) {
      throw InputError("--dump " + options_.dump + ": " + error.message() +
                       "; name a folder that can be made");
    }
  }
  void Result(const Outcome& outcome) override {
    news_.clear();
    Hear();
    if (writing_.at_work()) {
      if (!shared_.waits) return shared_.metrics.CountUnwritten();
      Await();
    }
    picture_.SetFrame(outcome.frame);
    picture_.Draw(outcome.results, outcome.session);
    auto bytes = std::make_shared<std::vector<uint8_t>>();
    if (options_.dump_format == "png") {
      EncodePng(picture_.rgb.data(), picture_.width, picture_.height, bytes.get());
    } else {
      EncodeJpeg(picture_.rgb.data(), picture_.width, picture_.height, kDumpJpegQuality,
                 bytes.get());
    }
    char name[64];
    std::snprintf(name, sizeof(name), "/frame-%08llu.%s",
                  static_cast<unsigned long long>(outcome.frame.number),
                  options_.dump_format.c_str());
    writing_.Start(shared_.storage, NowNs(), [path = options_.dump + name, bytes] {
      try {
        OutputFile file(path, Kept::kPlain, Links::kReplaced);
        file.Write(bytes->data(), bytes->size());
        file.Commit();
      } catch (const InputError& error) {
        return std::string(error.what());
      }
      return std::string();
    });
  }
  const char* News() override { return news_.c_str(); }
  void Finish(bool) override {
    if (writing_.at_work() && shared_.storage.Wait(2'000'000'000)) Hear();
  }

 private:
  void Hear() {
    const std::optional<std::string> problem = writing_.Take();
    if (!problem) return;
    if (problem->empty()) {
      told_ = false;
      return;
    }
    if (shared_.waits) throw InputError(*problem);
    shared_.metrics.CountUnwritten();
    if (!std::exchange(told_, true)) news_ = *problem + "; pictures are not stored until it works";
  }
  // Of pictures of a folder each is wanted.
  void Await() {
    while (writing_.at_work() && !shared_.stop.raised()) {
      if (!shared_.storage.Wait(100'000'000)) continue;
      Hear();
    }
  }

  const CameraOptions& options_;
  Shared& shared_;
  Annotated picture_;
  Errand<std::string> writing_;
  bool told_ = false;
  std::string news_;
};

}  // namespace

CheckSettings DescribeDump(CommandLine& app, CameraOptions& o) {
  app.Add("--dump", o.dump, "write every annotated frame into this folder");
  app.Add("--dump-format", o.dump_format, "of --dump").Among({"jpg", "png"}).ShowDefault();
  return [] {};
}

std::unique_ptr<Observer> MakeDump(const CameraOptions& options, Shared& shared) {
  if (options.dump.empty()) return nullptr;
  return std::make_unique<DumpObserver>(options, shared);
}

}  // namespace octet::port
