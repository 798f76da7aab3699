#include "ports/linux/camera/program/page/page.h"

#include <cstdio>
#include <utility>

#include <octet_camera_page.h>
#include "ports/linux/capture/jpeg.h"
#include "ports/linux/model.h"

namespace octet::port {
namespace {

constexpr int kPageJpegQuality = 80;

}  // namespace

Page::Page(uint16_t port, const octet_session* session, const StopRequest& stop,
           std::function<void()> begin)
    : session_(session),
      server_("--http " + std::to_string(port), http::LoopbackAt(port), this, stop,
              std::move(begin)) {}

void Page::SetStatus(const Line& status, uint64_t done_ns) {
  const std::lock_guard lock(mutex_);
  status_.assign(status.data(), status.length());
  status_ns_ = done_ns;
}

void Page::Show(const FrameBuffer& frame, const Results& results) {
  {
    const std::lock_guard lock(mutex_);
    frame_ = frame;
    results_ = results;
    ++shown_;
  }
  if (wanted_) server_.Wake();
}

http::Reply Page::Get(std::string_view path) {
  using Kind = http::Reply::Kind;
  if (path == "/") return {Kind::kWhole, "200 OK", "text/html; charset=utf-8", kPage};
  if (path == "/stream") return {Kind::kStream};
  if (path == "/frame.jpg") return {Kind::kNewest};
  if (path == "/status.json") {
    const std::lock_guard lock(mutex_);
    served_status_ = status_;
    const size_t end = served_status_.rfind('}');
    if (end == std::string::npos) {
      served_status_ = "{}\n";
    } else {
      char since[64];
      std::snprintf(since, sizeof(since), ",\"since_ms\":%.3f",
                    static_cast<double>(NowNs() - status_ns_) / 1e6);
      served_status_.insert(end, since);
    }
    return {Kind::kWhole, "200 OK", "application/json", served_status_};
  }
  return {Kind::kWhole, "404 Not Found", "text/plain",
          "available: /, /stream, /frame.jpg and /status.json\n"};
}

void Page::SetSession(const octet_session* session) {
  const std::lock_guard drawing(drawing_);
  session_ = session;
}

http::Part Page::NewestPart() {
  const std::lock_guard drawing(drawing_);
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    if (encoded_ != shown_ && session_ != nullptr) {
      // Only pointers are swapped here, because the loop may wait for this lock.
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
  return {
      encoded_, {reinterpret_cast<const char*>(jpeg_.data()), jpeg_.size()}, taken_.captured_ns};
}

}  // namespace octet::port
