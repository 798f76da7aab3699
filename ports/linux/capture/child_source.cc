#include "ports/linux/capture/child_source.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "ports/linux/back_off.h"
#include "ports/linux/capture/child.h"
#include "ports/linux/model.h"
#include "ports/linux/output/plain.h"

namespace octet::port {
namespace {

constexpr size_t kMostLineBytes = 300;
constexpr uint32_t kLinesAMinute = 5;
constexpr uint64_t kMinuteNs = 60'000'000'000;

// What a program says: whole lines, of which a few a minute are passed on.
class Lines {
 public:
  Lines(const ChildCommand& command, Say say)
      : name_(command.name), secrets_(command.secrets), say_(std::move(say)) {}

  void Take(const char* text, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
      if (text[i] == '\n' || text[i] == '\r') {
        Pass();
      } else if (line_.size() < kMostLineBytes) {
        line_ += text[i];
      }
    }
  }
  void Pass() {
    std::string line = std::exchange(line_, std::string());
    if (line.empty()) return;
    const uint64_t now = NowNs();
    if (now - begun_ns_ >= kMinuteNs) {
      if (left_out_ != 0) say_(name_ + ": " + std::to_string(left_out_) + " more lines, not shown");
      begun_ns_ = now;
      passed_ = left_out_ = 0;
    }
    if (passed_ == kLinesAMinute) {
      ++left_out_;
      return;
    }
    ++passed_;
    line = Masked(std::move(line), secrets_);
    MakePlain(line.data(), line.size(), false);
    say_(name_ + ": " + line);
  }

 private:
  const std::string name_;
  const std::vector<std::string> secrets_;
  const Say say_;
  std::string line_;
  uint64_t begun_ns_ = NowNs();
  uint32_t passed_ = 0, left_out_ = 0;
};

class ChildSource final : public Source {
 public:
  ChildSource(const ChildCommand& command, Say say)
      : name_(command.name),
        timeout_ms_(command.timeout_ms),
        lines_(command, std::move(say)),
        child_(command.words, command.input),
        stream_(OpenStream(child_.out(), command.format, name_,
                           [this](int out, const StopRequest& stop) { return Wait(out, stop); })) {}

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    deadline_ns_ = NowNs() + uint64_t{timeout_ms_} * 1'000'000;
    const Took took = stream_->Next(frame, stop);
    if (took == Took::kEnd) Hear();
    return took;
  }

  std::string note() const override { return note_; }

 private:
  // Bytes of a frame, while what the child says is passed on.
  Waited Wait(int out, const StopRequest& stop) {
    for (;;) {
      pollfd all[3] = {
          {stop.descriptor(), POLLIN, 0}, {out, POLLIN, 0}, {says_ ? child_.err() : -1, POLLIN, 0}};
      const uint64_t now = NowNs();
      const int left_ms =
          now >= deadline_ns_ ? 0 : static_cast<int>((deadline_ns_ - now) / 1'000'000 + 1);
      const int ready = poll(all, 3, left_ms);
      if (stop.raised()) return Waited::kStopped;
      if (ready < 0 && errno == EINTR) continue;
      if (all[2].revents != 0) HearSome();
      if (all[1].revents != 0) return Waited::kReady;
      if (NowNs() >= deadline_ns_) {
        hangs_ = true;
        return Waited::kTimeout;
      }
    }
  }

  void HearSome() {
    char text[1024];
    const ssize_t count = read(child_.err(), text, sizeof(text));
    if (count > 0) lines_.Take(text, static_cast<size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) says_ = false;
  }

  // What it said last, and why it gives no more frames.
  void Hear() {
    const std::string how = child_.End();
    for (int i = 0; i < 64 && says_; ++i) {
      pollfd one = {child_.err(), POLLIN, 0};
      if (poll(&one, 1, 0) <= 0) break;
      HearSome();
    }
    lines_.Pass();
    note_ =
        hangs_ ? name_ + ": no frame for " + std::to_string(timeout_ms_ / 1000) + " s; it was ended"
               : name_ + " " + how;
    if (!stream_->note().empty()) note_ += " (" + stream_->note() + ")";
  }

  const std::string name_;
  const uint32_t timeout_ms_;
  Lines lines_;
  Child child_;
  bool says_ = true, hangs_ = false;
  uint64_t deadline_ns_ = 0;
  std::string note_;
  std::unique_ptr<Source> stream_;
};

class LastingSource final : public Source {
 public:
  LastingSource(std::function<std::unique_ptr<Source>()> open, Say say,
                std::shared_ptr<SourceClock> clock)
      : open_(std::move(open)),
        say_(std::move(say)),
        clock_(clock != nullptr ? std::move(clock) : std::make_shared<SourceClock>()) {}

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    for (;;) {
      if (stop.raised()) return Took::kStopped;
      try {
        if (source_ == nullptr) {
          if (!clock_->SleepUntil(back_off_.next_ns(), stop)) return Took::kStopped;
          ++health_->starts;
          begun_ns_ = clock_->Now();
          source_ = open_();
        }
        const Took took = source_->Next(frame, stop);
        if (took == Took::kStopped) return took;
        if (took == Took::kFrame) {
          IsBack();
          return took;
        }
        const std::string note = source_->note();
        Lose(note.empty() ? "the source has ended" : note);
      } catch (const InputError& error) {
        Lose(error.what());
      }
    }
  }

  std::shared_ptr<const SourceHealth> health() const override { return health_; }

 private:
  // It has to last before it is trusted: one that ends behind its first frame is no better.
  static constexpr uint64_t kSteadyNs = 10'000'000'000;
  static constexpr uint64_t kTellAgainNs = 600'000'000'000;
  static constexpr uint32_t kMostTold = 5;  // in that time, each for another reason

  void IsBack() {
    if (clock_->Now() - begun_ns_ >= kSteadyNs) {
      back_off_.Reset();
      told_ns_ = kNever;
    }
    if (!health_->away) return;
    health_->away = false;
    if (told_) say_("frames come again");
    told_ = false;
  }

  void Lose(const std::string& why) {
    source_.reset();
    health_->away = true;
    ++health_->losses;
    const uint64_t now = clock_->Now();
    back_off_.Failed(now);
    if (told_ns_ == kNever || now - told_ns_ >= kTellAgainNs) {
      told_ns_ = now;
      told_count_ = 0;
    } else if (why == told_why_ || told_count_ == kMostTold) {
      return;
    }
    told_why_ = why;
    ++told_count_;
    told_ = true;
    say_(why + "; it is started again, " + std::to_string(health_->starts.load()) +
         " starts so far");
  }

  static constexpr uint64_t kNever = UINT64_MAX;
  const std::function<std::unique_ptr<Source>()> open_;
  const Say say_;
  const std::shared_ptr<SourceClock> clock_;
  const std::shared_ptr<SourceHealth> health_ = std::make_shared<SourceHealth>();
  std::unique_ptr<Source> source_;
  BackOff back_off_;
  uint64_t begun_ns_ = 0, told_ns_ = kNever;
  uint32_t told_count_ = 0;
  std::string told_why_;
  bool told_ = false;
};

}  // namespace

uint64_t SourceClock::Now() {
  return NowNs();
}

bool SourceClock::SleepUntil(uint64_t when_ns, const StopRequest& stop) {
  return port::SleepUntil(when_ns, stop);
}

std::unique_ptr<Source> OpenChild(const ChildCommand& command, Say say) {
  return std::make_unique<ChildSource>(command, std::move(say));
}

std::unique_ptr<Source> OpenLasting(std::function<std::unique_ptr<Source>()> open, Say say,
                                    std::shared_ptr<SourceClock> clock) {
  return std::make_unique<LastingSource>(std::move(open), std::move(say), std::move(clock));
}

std::string Masked(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.empty()) continue;
    for (size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += 3) {
      text.replace(at, secret.size(), "***");
    }
  }
  return text;
}

}  // namespace octet::port
