// --dump: writes every annotated frame as a picture, on the thread for storage. Of a live source, a
// picture for which there is no time is skipped and counted.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/draw.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/capture/jpeg.h"
#include "ports/linux/output/output_file.h"
#include "ports/linux/pictures/pictures.h"

namespace octet::port {
namespace {

constexpr int kDumpJpegQuality = 90;
constexpr const char* kPrefix = "frame-";

struct DumpOptions {
  std::string folder;  // empty: none
  std::string format = "jpg";
};

class DumpObserver final : public Observer {
 public:
  DumpObserver(const DumpOptions& options, const std::string& source, Shared& shared)
      : options_(options), source_(source), shared_(shared) {}

  void Start(const Loaded&) override {
    std::error_code error;
    std::filesystem::create_directories(options_.folder, error);
    if (error) {
      throw InputError("--dump " + options_.folder + ": " + ErrorText(error.value()) +
                       "; name a folder that can be made");
    }
    RefuseSource();
    first_ = NextNumber();
    if (first_ == 0) return;
    shared_.Say("--dump " + options_.folder + ": has pictures already; new ones begin with " +
                Name(0));
  }
  void Result(const Outcome& outcome) override {
    Hear();
    if (writing_.at_work()) {
      if (!shared_.waits) return shared_.program.metrics.CountUnwritten();
      Await();
    }
    picture_.SetFrame(outcome.frame);
    picture_.Draw(outcome.results, outcome.session);
    auto bytes = std::make_shared<std::vector<uint8_t>>();
    if (options_.format == "png") {
      EncodePng(picture_.rgb.data(), picture_.width, picture_.height, bytes.get());
    } else {
      EncodeJpeg(picture_.rgb.data(), picture_.width, picture_.height, kDumpJpegQuality,
                 bytes.get());
    }
    const std::string path = options_.folder + "/" + Name(outcome.frame.number);
    writing_.Start(shared_.program.storage, NowNs(), [path, bytes] {
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
  void Finish(bool) override {
    if (writing_.at_work() && shared_.program.storage.Wait(2'000'000'000)) Hear();
  }

 private:
  std::string Name(uint64_t frame) const {
    char name[64];
    std::snprintf(name, sizeof(name), "%s%08llu.%s", kPrefix,
                  static_cast<unsigned long long>(first_ + frame), options_.format.c_str());
    return name;
  }
  // Refuses a folder that holds the pictures of --source.
  void RefuseSource() const {
    std::error_code none;
    const bool is_path = source_ != "scene" && source_ != "-";
    if (!is_path || !std::filesystem::exists(source_, none)) return;
    const pictures::Listing read = pictures::ListPictures(source_);
    const bool is_source =
        std::filesystem::equivalent(source_, options_.folder, none) ||
        std::any_of(read.files.begin(), read.files.end(), [&](const std::string& file) {
          const std::filesystem::path folder = std::filesystem::path(file).parent_path();
          return std::filesystem::equivalent(folder.empty() ? "." : folder, options_.folder, none);
        });
    if (!is_source) return;
    throw InputError("--dump " + options_.folder +
                     ": the pictures of --source are there and could be replaced; name another "
                     "folder");
  }
  // The number after the pictures of earlier runs, in both formats.
  uint64_t NextNumber() const {
    uint64_t next = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator at(options_.folder, error), end; !error && at != end;
         at.increment(error)) {
      const std::string name = at->path().filename().string();
      uint64_t number = 0;
      if (name.rfind(kPrefix, 0) != 0) continue;
      const char* const digits = name.data() + std::strlen(kPrefix);
      const auto [rest, fault] = std::from_chars(digits, name.data() + name.size(), number);
      if (fault == std::errc() && rest != digits && *rest == '.') next = std::max(next, number + 1);
    }
    return next;
  }
  void Hear() {
    const std::optional<std::string> problem = writing_.Take();
    if (!problem) return;
    if (problem->empty()) {
      told_ = false;
      return;
    }
    if (shared_.waits) throw InputError(*problem);
    shared_.program.metrics.CountUnwritten();
    if (std::exchange(told_, true)) return;
    shared_.Say(*problem + "; pictures are not stored until it works");
  }
  // A folder as source waits: no picture is skipped.
  void Await() {
    while (writing_.at_work() && !shared_.program.stop.raised()) {
      if (!shared_.program.storage.Wait(100'000'000)) continue;
      Hear();
    }
  }

  const DumpOptions options_;
  const std::string source_;
  Shared& shared_;
  Annotated picture_;
  Errand<std::string> writing_;
  bool told_ = false;
  uint64_t first_ = 0;  // number of the first frame's picture
  std::string news_;
};

CheckSettings DescribeDump(CommandLine& app, CameraOptions& o) {
  auto& dump = o.features.Get<DumpOptions>();
  app.Add("--dump", dump.folder, "write every annotated frame into this folder")
      .OfCamera(Option::Same::kAlone);
  app.Add("--dump-format", dump.format, "of --dump").Among({"jpg", "png"}).ShowDefault();
  return [] {};
}

std::unique_ptr<Observer> MakeDump(const CameraOptions& options, Shared& shared) {
  const auto& dump = options.features.Get<DumpOptions>();
  if (dump.folder.empty()) return nullptr;
  return std::make_unique<DumpObserver>(dump, options.source, shared);
}

// The folder may not exist yet: its nearest existing parent is checked.
void CheckDump(const CameraOptions& options, Checked* checked) {
  std::filesystem::path folder = options.features.Get<DumpOptions>().folder;
  if (folder.empty()) return;
  std::error_code error;
  while (!std::filesystem::exists(folder, error) && folder.has_parent_path() &&
         folder != folder.parent_path()) {
    folder = folder.parent_path();
  }
  const bool here = !std::filesystem::exists(folder, error);
  checked->Add(Checked::kFolders, FolderFinding("folder of --dump", here ? "." : folder.string()));
}

}  // namespace

Feature DumpFeature() {
  return {.describe = DescribeDump, .make = MakeDump, .check = CheckDump, .checks_each = true};
}

}  // namespace octet::port
