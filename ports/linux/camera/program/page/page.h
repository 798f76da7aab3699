// A page to look at in a browser, on localhost and only when asked for: "/" the page, "/stream"
// pictures with boxes as multipart JPEG, "/frame.jpg" the newest one, "/status.json" the newest
// line. Each says how old it is when it is sent. One thread of its own, which draws when a client
// looks; the loop hands it a copy of each frame.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_PAGE_PAGE_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_PAGE_PAGE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "ports/linux/camera/program/draw.h"
#include "ports/linux/capture/stop.h"
#include "ports/linux/http/server.h"
#include "ports/linux/results/text.h"

namespace octet::port {

class Page final : private http::Site {
 public:
  // Listens on 127.0.0.1:port (0: any that is free), from a thread that calls `begin` first. Throws
  // InputError.
  Page(uint16_t port, const octet_session* session, const StopRequest& stop,
       std::function<void()> begin);

  const http::Address& address() const { return server_.address(); }
  // Whose labels are drawn; null: nothing is drawn until there is one. A last picture of the model
  // before may get names of this one.
  void SetSession(const octet_session* session);
  // The newest line, for /status.json: an object. done_ns: NowNs() when its result stood.
  void SetStatus(const Line& status, uint64_t done_ns);
  // Copies what it needs.
  void Show(const FrameBuffer& frame, const Results& results);

 private:
  http::Reply Get(std::string_view path) override;
  http::Part NewestPart() override;
  void SetWanted(bool wanted) override { wanted_ = wanted; }

  std::mutex drawing_;  // held while the session is looked at
  const octet_session* session_;
  std::atomic<bool> wanted_{false};

  std::mutex mutex_;  // of the next five
  FrameBuffer frame_;
  Results results_;
  std::string status_;
  uint64_t status_ns_ = 0, shown_ = 0;

  // Of the serving thread.
  uint64_t encoded_ = 0;
  FrameBuffer taken_;
  Results drawn_;
  Annotated picture_;
  std::vector<uint8_t> jpeg_;
  std::string served_status_;

  http::Server server_;  // the last: its thread uses all of the above
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_PAGE_PAGE_H_
