#include "ports/linux/camera/program/emitter.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ports/linux/camera/program/line_writer.h"
#include "ports/linux/file.h"
#include "ports/linux/output/plain.h"

namespace octet::port {
namespace {

using namespace std::chrono_literals;

constexpr auto kLast = 2500ms;  // of LineWriter::WriteLast twice, and some
constexpr auto kGlance = 20ms;  // between two looks at a stop
constexpr size_t kQueueBytes = size_t{1} << 20;
constexpr size_t kQueueLines = 4;  // at least, of the longest

}  // namespace

// Parts of Emitter::State. They have a name, since sources are united.
namespace emitter {

enum class To : char { kResults, kNews, kLastResult, kLastNews };

// Bytes in a circle: a line is its length, where it goes, and its text.
class Queue {
 public:
  explicit Queue(size_t bytes) : bytes_(bytes) {}
  bool is_empty() const { return used_ == 0; }
  bool Put(To to, const char* text, size_t length) {
    if (used_ + kHead + length > bytes_.size()) return false;
    const auto count = static_cast<uint32_t>(length);
    const char way = static_cast<char>(to);
    Add(reinterpret_cast<const char*>(&count), sizeof(count));
    Add(&way, 1);
    Add(text, length);
    return true;
  }
  // !is_empty().
  To Take(std::vector<char>* text) {
    uint32_t count = 0;
    char way = 0;
    Get(reinterpret_cast<char*>(&count), sizeof(count));
    Get(&way, 1);
    text->resize(count);
    Get(text->data(), count);
    return static_cast<To>(way);
  }
  void Grow(size_t bytes) {
    if (bytes <= bytes_.size()) return;
    std::vector<char> larger(bytes);
    const size_t used = used_;
    Get(larger.data(), used);
    bytes_ = std::move(larger);
    begin_ = 0;
    used_ = used;
  }

 private:
  static constexpr size_t kHead = sizeof(uint32_t) + 1;
  void Add(const char* from, size_t count) {
    const size_t at = (begin_ + used_) % bytes_.size();
    const size_t first = std::min(count, bytes_.size() - at);
    std::copy_n(from, first, bytes_.data() + at);
    std::copy_n(from + first, count - first, bytes_.data());
    used_ += count;
  }
  void Get(char* to, size_t count) {
    const size_t first = std::min(count, bytes_.size() - begin_);
    std::copy_n(bytes_.data() + begin_, first, to);
    std::copy_n(bytes_.data(), count - first, to + first);
    begin_ = (begin_ + count) % bytes_.size();
    used_ -= count;
  }
  std::vector<char> bytes_;
  size_t begin_ = 0, used_ = 0;
};

}  // namespace emitter

namespace {

size_t QueueBytesFor(size_t line_bytes) {
  return std::max(kQueueBytes, kQueueLines * (line_bytes + 16));
}

}  // namespace

class Emitter::State {
 public:
  State(int results, int news, bool source_waits, size_t line_bytes)
      : waits(source_waits),
        queue(QueueBytesFor(line_bytes)),
        results_(results, source_waits, hurry_),
        news_(news, false, hurry_) {
    results_.Reserve(line_bytes);
  }

  void Work() {
    std::vector<char> text;
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return ends || !queue.is_empty(); });
      if (queue.is_empty()) break;
      const emitter::To to = queue.Take(&text);
      at_work = true;
      changed.notify_all();
      lock.unlock();
      Put(to, text);
      lock.lock();
      at_work = false;
      changed.notify_all();
    }
    ended = true;
    changed.notify_all();
  }
  // From now on the writer does not wait for its reader.
  void Hurry() { hurry_.Raise(); }

  const bool waits;
  std::mutex mutex;  // held for copies of a line alone
  std::condition_variable changed;
  emitter::Queue queue;
  bool at_work = false, ends = false, ended = false;
  std::string failure;
  std::atomic<bool> gone{false};
  std::atomic<uint64_t> dropped{0};
  std::atomic<int> error{0};

 private:
  void Put(emitter::To to, const std::vector<char>& text) {
    switch (to) {
      case emitter::To::kNews:
      case emitter::To::kLastNews:
        if (to == emitter::To::kNews) {
          news_.Write(text.data(), text.size());
        } else {
          news_.WriteLast(text.data(), text.size());
        }
        return;
      case emitter::To::kLastResult:
        results_.WriteLast(text.data(), text.size());
        error = results_.error();
        return;
      case emitter::To::kResults:
        PutResult(text);
    }
  }
  void PutResult(const std::vector<char>& text) {
    if (gone) return;
    const uint64_t before = results_.dropped();
    try {
      if (!results_.Write(text.data(), text.size())) gone = true;
    } catch (const InputError& error) {
      const std::lock_guard lock(mutex);
      failure = error.what();
      return;
    }
    error = results_.error();
    const uint64_t more = results_.dropped() - before;
    dropped += more;
    if (more == 0 || told_) return;
    told_ = true;
    const std::string why = results_.error() == 0 ? "output is not being read"
                                                  : std::string("output cannot be written: ") +
                                                        ErrorText(results_.error());
    const std::string warning = "octet-camera: " + why +
                                ". Result lines are dropped and counted until " +
                                (results_.error() == 0 ? "it is read\n" : "it can be written\n");
    news_.Write(warning.data(), warning.size());
  }

  StopRequest hurry_;
  LineWriter results_, news_;
  bool told_ = false;
};

Emitter::Emitter(int results, int news, bool waits, size_t line_bytes, std::function<void()> begin)
    : state_(std::make_shared<State>(results, news, waits, line_bytes)) {
  std::thread([state = state_, begin = std::move(begin)] {
    if (begin) begin();
    state->Work();
  }).detach();
}

Emitter::~Emitter() {
  std::unique_lock lock(state_->mutex);
  state_->ends = true;
  state_->changed.notify_all();
  state_->Hurry();
  state_->changed.wait_for(lock, kLast, [&] { return state_->ended; });
}

void Emitter::Reserve(size_t line_bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->queue.Grow(QueueBytesFor(line_bytes));
}

bool Emitter::Write(const Line& line, const StopRequest& stop) {
  State& state = *state_;
  if (state.gone) return false;
  std::unique_lock lock(state.mutex);
  for (;;) {
    if (!state.failure.empty()) throw InputError(state.failure);
    if (state.queue.Put(emitter::To::kResults, line.data(), line.length())) break;
    if (!state.waits || stop.raised()) {
      ++state.dropped;
      return true;
    }
    state.changed.wait_for(lock, kGlance);
  }
  state.changed.notify_all();
  return true;
}

void Emitter::Say(std::string_view news) {
  if (news.empty()) return;
  std::string line("octet-camera: ");
  line.append(news).append("\n");
  MakePlain(line.data(), line.size(), true);
  const std::lock_guard lock(state_->mutex);
  state_->queue.Put(emitter::To::kNews, line.data(), line.size());
  state_->changed.notify_all();
}

void Emitter::Drain(const StopRequest& stop) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  const auto is_done = [&] { return state.queue.is_empty() && !state.at_work; };
  if (!state.waits) {
    state.changed.wait_for(lock, kLast, is_done);
    return;
  }
  while (!is_done() && state.failure.empty() && !state.gone) {
    if (stop.raised()) state.Hurry();
    state.changed.wait_for(lock, kGlance);
  }
  if (!state.failure.empty()) throw InputError(state.failure);
}

void Emitter::Last(const Line& line, bool to_news) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.queue.Put(to_news ? emitter::To::kLastNews : emitter::To::kLastResult, line.data(),
                  line.length());
  state.changed.notify_all();
  state.changed.wait_for(lock, kLast, [&] { return state.queue.is_empty() && !state.at_work; });
}

int Emitter::error() const {
  return state_->error;
}

uint64_t Emitter::dropped() const {
  return state_->dropped;
}

}  // namespace octet::port
