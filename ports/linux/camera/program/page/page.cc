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

Page::Page(uint16_t port, const std::vector<std::string>& names, const octet_session* session,
           const StopRequest& stop, std::function<void()> begin)
    : session_(session),
      is_list_(!names.front().empty()),
      views_(ViewsOf(names)),
      server_("--http " + std::to_string(port), http::LoopbackAt(port), this, stop,
              std::move(begin)) {}

std::vector<Page::View> Page::ViewsOf(const std::vector<std::string>& names) {
  std::vector<View> views(names.size());
  for (size_t i = 0; i < names.size(); ++i) views[i].name = names[i];
  return views;
}

void Page::SetStatus(size_t camera, const Line& status, uint64_t done_ns) {
  const std::lock_guard lock(mutex_);
  views_[camera].status.assign(status.data(), status.length());
  views_[camera].status_ns = done_ns;
}

void Page::Show(size_t camera, const FrameBuffer& frame, const Results& results) {
  {
    const std::lock_guard lock(mutex_);
    View& view = views_[camera];
    view.frame = frame;
    view.results = results;
    ++view.shown;
  }
  if (wanted_) server_.Wake();
}

void Page::AddStatus(const View& view, std::string* text) const {
  const size_t end = view.status.rfind('}');
  if (end == std::string::npos) {
    *text += "{}\n";
    return;
  }
  char since[64];
  std::snprintf(since, sizeof(since), ",\"since_ms\":%.3f",
                static_cast<double>(NowNs() - view.status_ns) / 1e6);
  text->append(view.status, 0, end).append(since).append(view.status, end);
}

http::Reply Page::Get(std::string_view path) {
  using Kind = http::Reply::Kind;
  const std::lock_guard lock(mutex_);
  if (!is_list_) return GetOf(0, path);
  if (path == "/") return {Kind::kWhole, "200 OK", "text/html; charset=utf-8", kCamerasPage};
  if (path == "/status.json") {
    served_status_ = "{\"cameras\":[";
    for (const View& view : views_) {
      if (view.status.empty()) continue;
      if (served_status_.back() != '[') served_status_ += ",";
      AddStatus(view, &served_status_);
    }
    served_status_ += "]}\n";
    return {Kind::kWhole, "200 OK", "application/json", served_status_};
  }
  if (path == "/cameras.json") {
    served_status_ = "[";
    for (const View& view : views_) {
      served_status_ += (&view == views_.data() ? "\"" : ",\"") + view.name + "\"";
    }
    served_status_ += "]\n";
    return {Kind::kWhole, "200 OK", "application/json", served_status_};
  }
  for (uint32_t i = 0; i < views_.size(); ++i) {
    const std::string begin = "/" + views_[i].name + "/";
    if (path.substr(0, begin.size()) == begin) return GetOf(i, path.substr(begin.size() - 1));
  }
  return {Kind::kWhole, "404 Not Found", "text/plain",
          "available: /, /cameras.json, /status.json and /NAME/ of each camera\n"};
}

// path: as of a program without a list.
http::Reply Page::GetOf(uint32_t channel, std::string_view path) {
  using Kind = http::Reply::Kind;
  if (path == "/") return {Kind::kWhole, "200 OK", "text/html; charset=utf-8", kPage};
  if (path == "/stream") return {.kind = Kind::kStream, .channel = channel};
  if (path == "/frame.jpg") return {.kind = Kind::kNewest, .channel = channel};
  if (path == "/status.json") {
    served_status_.clear();
    AddStatus(views_[channel], &served_status_);
    return {Kind::kWhole, "200 OK", "application/json", served_status_};
  }
  return {Kind::kWhole, "404 Not Found", "text/plain",
          "available: /, /stream, /frame.jpg and /status.json\n"};
}

void Page::SetSession(const octet_session* session) {
  const std::lock_guard drawing(drawing_);
  session_ = session;
}

http::Part Page::NewestPart(uint32_t channel) {
  const std::lock_guard drawing(drawing_);
  View& view = views_[channel];
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    if (view.encoded != view.shown && session_ != nullptr) {
      // Only pointers are swapped here, because the loop may wait for this lock.
      std::swap(view.taken, view.frame);
      std::swap(view.drawn, view.results);
      view.encoded = view.shown;
      fresh = true;
    }
  }
  if (fresh) {
    picture_.SetFrame(view.taken);
    picture_.Draw(view.drawn, session_);
    view.jpeg.clear();
    EncodeJpeg(picture_.rgb.data(), picture_.width, picture_.height, kPageJpegQuality, &view.jpeg);
  }
  return {view.encoded,
          {reinterpret_cast<const char*>(view.jpeg.data()), view.jpeg.size()},
          view.taken.captured_ns};
}

}  // namespace octet::port
