// octet-camera on a store of slots in the test's folder.
#ifndef OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_STORE_FIXTURE_H_
#define OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_STORE_FIXTURE_H_

#include <algorithm>
#include <string>
#include <vector>

#include "ports/linux/slot/slot_store.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"

namespace octet::test {

class CameraOnStore : public Camera {
 protected:
  void SetUp() override {
    Camera::SetUp();
    fs::create_directory(folder_ / "store");
    Write("store/slot-a.octet", Model(1));
    names_model_ = false;
  }
  // Runs as the mixed blob, and has another digest.
  static Blob Model(uint64_t counter) {
    Blob blob = MakeMixedBlob();
    reinterpret_cast<blob::Header*>(blob.data())->security_counter = counter;
    Rehash(blob);
    return blob;
  }
  void Write(const std::string& name, const Blob& blob) const {
    std::ofstream(Path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()),
               static_cast<std::streamsize>(blob.size()));
  }
  // As octet flash does.
  // any_kind: also one that the store refuses in the place of what runs.
  void Flash(const Blob& blob, bool any_kind = false) const {
    port::StoreOptions options;
    options.any_kind = any_kind;
    port::SlotStore store(Path("store"), options);
    size_t done = 0;
    const port::SlotAnswer staged = store.Stage([&](void* bytes, size_t count) {
      const size_t step = std::min(count, blob.size() - done);
      std::copy_n(blob.begin() + static_cast<ptrdiff_t>(done), step, static_cast<uint8_t*>(bytes));
      done += step;
      return step;
    });
    ASSERT_TRUE(staged) << staged.why;
    const port::SlotAnswer active = store.Activate();
    ASSERT_TRUE(active) << active.why;
  }
  octet_slots_info Info() const { return port::SlotStore(Path("store"), {}).Info(); }
  // One frame after the other, each with its line, until stderr has the text; at most ten seconds.
  void SendUntil(const std::string& text) {
    for (int i = 0; i < 500; ++i) {
      Send(Y4m(8, 8, 1));
      AwaitLines(++sent_);
      if (Read("err").find(text) != std::string::npos) return;
      usleep(20000);
    }
    FAIL() << "no '" << text << "': " << Read("err");
  }
  void StartOnStore(std::vector<std::string> more = {}) {
    sent_ = 0;
    more.insert(more.begin(), {"--slots", Path("store"), "--source", "-", "--json"});
    Start(more);
  }
  std::string SlotOf(size_t line) const { return Lines()[line]["slot"]; }

  size_t sent_ = 0;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_STORE_FIXTURE_H_
