#include "ports/linux/capture/mailbox.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "ports/linux/model.h"

namespace octet::port {

void Bell::Ring() {
  const std::lock_guard lock(mutex_);
  ++rings_;
  changed_.notify_all();
}

uint64_t Bell::rings() const {
  const std::lock_guard lock(mutex_);
  return rings_;
}

void Bell::Wait(uint64_t seen, uint64_t until_ns) {
  std::unique_lock lock(mutex_);
  const auto rang = [&] { return rings_ != seen; };
  if (until_ns == UINT64_MAX) return changed_.wait(lock, rang);
  const uint64_t now = NowNs();
  if (until_ns > now) changed_.wait_for(lock, std::chrono::nanoseconds(until_ns - now), rang);
}

bool Mailbox::Publish(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) changed_.wait(lock, [this] { return !fresh_ || left_; });
  if (left_) return false;
  const uint64_t captured_ns = buffers_[back_].captured_ns;
  if (published_ != 0) longest_gap_ns_ = std::max(longest_gap_ns_, captured_ns - captured_ns_);
  captured_ns_ = captured_ns;
  const uint64_t passed_over = buffers_[back_].passed_over;
  dropped_ += passed_over + (fresh_ ? 1 : 0);
  std::swap(back_, ready_);
  fresh_ = true;
  published_ += 1 + passed_over;
  changed_.notify_all();
  lock.unlock();
  if (bell_ != nullptr) bell_->Ring();
  return true;
}

void Mailbox::End(const std::string& error) {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    error_ = error;
    changed_.notify_all();
  }
  if (bell_ != nullptr) bell_->Ring();
}

Mailbox::State Mailbox::state() const {
  const std::lock_guard lock(mutex_);
  return fresh_ ? State::kFrame : ended_ ? State::kEnd : State::kEmpty;
}

FrameBuffer* Mailbox::Take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return fresh_ || ended_; });
  if (!fresh_) return nullptr;
  std::swap(ready_, front_);
  fresh_ = false;
  changed_.notify_all();
  return &buffers_[front_];
}

void Mailbox::Leave() {
  const std::lock_guard lock(mutex_);
  left_ = true;
  changed_.notify_all();
}

uint64_t Mailbox::published() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

uint64_t Mailbox::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

uint64_t Mailbox::longest_gap_ns() const {
  const std::lock_guard lock(mutex_);
  return longest_gap_ns_;
}

std::string Mailbox::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void Capture(Source* source, Mailbox* mailbox, const StopRequest& stop, bool every_frame) {
  std::string error;
  try {
    for (uint64_t number = 0;; ++number) {
      FrameBuffer* frame = mailbox->back();
      frame->truth.clear();
      frame->captured_ns = 0;
      if (source->Next(frame, stop) != Source::Took::kFrame) break;
      number += frame->passed_over;
      frame->number = number;
      if (frame->captured_ns == 0) frame->captured_ns = NowNs();
      if (!mailbox->Publish(every_frame || source->waits())) break;
    }
    error = source->note();
    // After a stream with frames the note is news. After a stream without frames it is the reason.
    if (!error.empty() && mailbox->published() != 0) {
      std::fprintf(stderr, "octet-camera: %s\n", error.c_str());
      error.clear();
    }
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  mailbox->End(error);
}

}  // namespace octet::port
