#include "ports/linux/serve/engine/workers.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

namespace octet::port::serve {
namespace {

// Memory of a picture that is used again: one of 1920 x 1080, and a little.
constexpr uint64_t kMostKeptBytes = uint64_t{8} << 20;

}  // namespace

uint64_t Worker::Run() {
  const uint64_t started = NowNs();
  octet_run(session());
  return NowNs() - started;
}

bool Worker::Detect(const pictures::Picture& picture, float threshold, Boxes* boxes,
                    std::string* why) {
  *why = WhyNoBoxes(facts());
  if (!why->empty()) return false;
  octet_frame frame = {};
  frame.size = sizeof(frame);
  frame.format = picture.channels == 1 ? OCTET_PIXELS_GREY8 : OCTET_PIXELS_RGB24;
  frame.width = picture.width, frame.height = picture.height;
  frame.planes[0] = picture.pixels.data();
  frame.strides[0] = size_t{picture.width} * picture.channels;
  const octet_status status = octet_set_input_frame(session(), facts().decode_input, &frame);
  if (status.code != OCTET_OK) {
    *why = "the model does not take this picture: " + std::string(octet_code_name(status.code)) +
           "; send another size";
    return false;
  }
  boxes->run_ns = Run();
  boxes->found = served_->bound(index_).Detect(threshold, picture.width, picture.height);
  served_->Count(std::all_of(boxes->found.begin(), boxes->found.end(),
                             [](const octet_detection& box) { return std::isfinite(box.score); }));
  return true;
}

void Worker::Forget() {
  // A picture that could not be read has its header's size, and may have taken as much.
  if (uint64_t{picture_.width} * picture_.height * picture_.channels <= kMostKeptBytes) return;
  picture_ = {};
  pictures_ = {};
}

Workers::Workers(std::shared_ptr<Served> served, uint32_t count, FairQueue* queue)
    : queue_(queue), served_(std::move(served)) {
  for (uint32_t i = 0; i < count; ++i) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->index_ = i;
  }
  try {
    for (const auto& worker : workers_) {
      threads_.emplace_back([this, own = worker.get()] { Work(own); });
    }
  } catch (const std::system_error& error) {
    Stop();
    throw InputError("--threads " + std::to_string(count) + ": " + error.what() + kThreadLimit +
                     "; use fewer");
  }
}

void Workers::Stop() {
  queue_->Close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Workers::Serve(std::shared_ptr<Served> served) {
  const std::lock_guard<std::mutex> lock(mutex_);
  served_.swap(served);
}

std::shared_ptr<Served> Workers::served() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return served_;
}

uint64_t Workers::LongestRun(uint64_t now_ns) const {
  uint64_t longest = 0;
  for (const auto& worker : workers_) {
    const uint64_t since = worker->busy_since_ns_.load(std::memory_order_relaxed);
    if (since != 0 && since < now_ns) longest = std::max(longest, now_ns - since);
  }
  return longest;
}

void Workers::Work(Worker* worker) {
  while (std::unique_ptr<Job> job = queue_->Take()) {
    worker->busy_since_ns_.store(NowNs(), std::memory_order_relaxed);
    worker->served_ = served();
    job->Run(*worker);
    job.reset();
    worker->Forget();
    // A model that is no longer served is not kept in memory by a worker that waits.
    worker->served_.reset();
    worker->busy_since_ns_.store(0, std::memory_order_relaxed);
  }
}

}  // namespace octet::port::serve
