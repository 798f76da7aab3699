// octet-camera --slots frame by frame: the test says what a frame brought and what time it is. The
// store is a folder, its thread is real, and each errand is waited for.
#ifndef OCTET_TESTS_PORTS_LINUX_CAMERA_TRIAL_SLOTS_FIXTURE_H_
#define OCTET_TESTS_PORTS_LINUX_CAMERA_TRIAL_SLOTS_FIXTURE_H_

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/slots/slots.h"
#include "tests/ports/linux/slot/models.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {

constexpr uint64_t kSlotSecond = 1'000'000'000;
constexpr uint64_t kSlotPatience = 60 * kSlotSecond;

class Slots : public StoreFolder {
 protected:
  void SetUp() override {
    StoreFolder::SetUp();
    ASSERT_EQ(pipe2(said_, O_CLOEXEC | O_NONBLOCK), 0);
    emitter_.emplace(said_[1], said_[1], true, 64, nullptr);
    shared_.emitter = &*emitter_;
    // Gray levels that rise, so that no box is like another.
    frame_.Resize(OCTET_PIXELS_RGB24, 4, 4);
    for (size_t i = 0; i < frame_.bytes.size(); ++i) frame_.bytes[i] = static_cast<uint8_t>(4 * i);
  }
  void TearDown() override {
    slots_.reset();
    model_.reset();
    emitter_.reset();
    for (const int end : said_) close(end);
    StoreFolder::TearDown();
  }
  // All see boxes; each has its digest.
  static Blob Model(int number) { return MakeMixedBlob(static_cast<size_t>(64 * number)); }
  std::string Store() const { return Path("store"); }
  void Flash(int number, octet_slot expected) const {
    port::SlotStore store(Store(), {});
    ASSERT_TRUE(Stage(&store, Model(number)));
    ASSERT_TRUE(store.Activate());
    ASSERT_EQ(Info().pending, expected);
  }
  void Install(int number) const {
    port::SlotStore store(Store(), {});
    StoreFolder::Install(&store, Model(number));
  }
  octet_slots_info Info() const {
    octet_slots_info info{};
    port::StoreOptions options;
    options.board = "raspberry-pi-4";  // whatever the folder's file says
    port::SlotStore(Store(), options).Peek(&info);
    return info;
  }
  void Start(uint32_t confirm_after = 3, uint32_t frames = 0) {
    comparison_.frames = frames;
    port::StoreOptions options;
    options.lock_patience_ns = kSlotSecond / 10;
    slots_.emplace(Store(), options, confirm_after, comparison_, shared_);
  }
  // Binds what is to run. What the camera says of it.
  std::string Load() {
    if (model_) slots_->Unload();
    model_.emplace(slots_->Path(), port::ModelOptions());
    model_->Bind();
    reader_.emplace(*model_);
    slots_->Load({*model_, slots_->Path(), port::CameraOptions()});
    return News();
  }
  struct Frame {
    bool calm = true, stuck = false;
    size_t camera = 0;
  };
  // What the camera says behind it.
  std::string Run(Frame what = {true, false, 0}, const port::Results* results = nullptr) {
    const octet_frame view = frame_.View();
    EXPECT_EQ(octet_set_input_frame(model_->session(), 0, &view).code, OCTET_OK);
    EXPECT_EQ(octet_run(model_->session()).code, OCTET_OK);
    slots_->AfterRun(model_->session());
    const port::Results& own = reader_->Read(model_->session(), 4, 4);
    port::Outcome outcome{.frame = frame_,
                          .results = results != nullptr ? *results : own,
                          .session = model_->session(),
                          .begun_ns = 0,
                          .done_ns = 0,
                          .processed = 0,
                          .dropped = 0,
                          .lines_dropped = 0,
                          .verdict = {.calm = what.calm, .stuck = what.stuck},
                          .camera = what.camera};
    slots_->AfterFrame(outcome);
    return News();
  }
  void RunTimes(int times, Frame what = {true, false, 0}) {
    for (int i = 0; i < times; ++i) Run(what);
  }
  // Hears of an errand that is left, sends the one that is due, waits for it and hears of it. True:
  // another model.
  bool Turn() {
    now_ += kSlotSecond;
    EXPECT_TRUE(shared_.storage.Wait(kSlotPatience));
    if (slots_->Follow(now_)) return true;
    EXPECT_TRUE(shared_.storage.Wait(kSlotPatience));
    return slots_->Follow(now_);
  }
  // What was said since the last call; of several lines each but the first with the program's name.
  std::string News() {
    constexpr size_t kName = sizeof("octet-camera: ") - 1;
    emitter_->Drain(stop_);
    std::string text(4096, 0);
    const ssize_t count = read(said_[0], text.data(), text.size());
    text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return text.empty() ? text : text.substr(kName, text.size() - kName - 1);
  }
  bool HasSaid(const std::string& text) { return News().find(text) != std::string::npos; }
  std::string Word() {
    port::Line line(256);
    slots_->AddFields(0, &line);
    return std::string(line.data(), line.length());
  }
  std::string Summary() {
    port::Line line(256);
    slots_->AddSummary(0, &line);
    return std::string(line.data(), line.length());
  }

  port::StopRequest stop_;
  port::Program shared_{stop_, "/none", true, {}};
  int said_[2] = {-1, -1};
  std::optional<port::Emitter> emitter_;
  port::ComparisonSettings comparison_;
  std::optional<port::CameraSlots> slots_;
  std::optional<port::Model> model_;
  std::optional<port::ResultReader> reader_;
  port::FrameBuffer frame_;
  uint64_t now_ = 1000 * kSlotSecond;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_CAMERA_TRIAL_SLOTS_FIXTURE_H_
