#include "ports/linux/camera/program/page.h"

#include <utility>

#include <octet_camera_page.h>
#include "ports/linux/capture/jpeg.h"

namespace octet::port {
namespace {

constexpr int kPageJpegQuality = 80;

}  // namespace

Page::Page(uint16_t port, const octet_session* session, const StopRequest& stop,
           std::function<void()> begin)
    : session_(session),
      server_("--http " + std::to_string(port), http::LoopbackAt(port), this, stop,
              std::move(begin)) {}

void Page::SetStatus(const Line& status) {
  const std::lock_guard lock(mutex_);
  status_.assign(status.data(), status.length());
}

void Page::Show(const FrameBuffer& frame, const Results& results) {
  {
    const std::lock_guard lock(mutex_);
    frame_ = frame;
    results_ = results;
    ++shown_;
  }
  server_.Wake();
}

http::Reply Page::Get(std::string_view path) {
  using Kind = http::Reply::Kind;
  if (path == "/") return {Kind::kWhole, "200 OK", "text/html; charset=utf-8", kPage};
  if (path == "/stream") return {Kind::kStream};
  if (path == "/frame.jpg") return {Kind::kNext};
  if (path == "/status.json") {
    {
      const std::lock_guard lock(mutex_);
      served_status_ = status_;
    }
    if (served_status_.empty()) served_status_ = "{}\n";
    return {Kind::kWhole, "200 OK", "application/json", served_status_};
  }
  return {Kind::kWhole, "404 Not Found", "text/plain",
          "available: /, /stream, /frame.jpg and /status.json\n"};
}

void Page::SetSession(const octet_session* session) {
  const std::lock_guard drawing(drawing_);
  session_ = session;
}

uint64_t Page::NewestPart(std::string_view* jpeg) {
  const std::lock_guard drawing(drawing_);
  if (session_ == nullptr) return 0;
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    if (shown_ == 0) return 0;
    if (encoded_ != shown_) {
      // No more than pointers change hands here: the loop may wait for this lock.
      std::swap(taken_, frame_);
      std::swap(drawn_, results_);
      encoded_ = shown_;
      fresh = true;
    }
  }
  if (fresh) {
    picture_.SetFrame(taken_);
    picture_.Draw(drawn_, session_);
    jpeg_.clear();
    EncodeJpeg(picture_.rgb.data(), picture_.width, picture_.height, kPageJpegQuality, &jpeg_);
  }
  *jpeg = {reinterpret_cast<const char*>(jpeg_.data()), jpeg_.size()};
  return encoded_;
}

}  // namespace octet::port
