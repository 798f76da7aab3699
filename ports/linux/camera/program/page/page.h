// A page to look at in a browser, on localhost and only when asked for: "/" the page, "/stream"
// pictures with boxes as multipart JPEG, "/frame.jpg" the newest one, "/status.json" the newest
// line. Each says how old it is when it is sent. Of a list of cameras "/" shows all, "/status.json"
// has the lines of all, and "/NAME/", "/NAME/stream" and so on are those of one. One thread of its
// own, which draws when a client looks; the loop hands it a copy of each frame.
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
  // Listens on 127.0.0.1:port (0: any that is free), from a thread that calls `begin` first. names:
  // of the cameras; one that is empty: there is no list. Throws InputError.
  Page(uint16_t port, const std::vector<std::string>& names, const octet_session* session,
       const StopRequest& stop, std::function<void()> begin);

  const http::Address& address() const { return server_.address(); }
  // Whose labels are drawn; null: nothing is drawn until there is one. A last picture of the model
  // before may get names of this one.
  void SetSession(const octet_session* session);
  // The newest line of a camera, for /status.json: an object. done_ns: NowNs() when its result
  // stood.
  void SetStatus(size_t camera, const Line& status, uint64_t done_ns);
  // Copies what it needs.
  void Show(size_t camera, const FrameBuffer& frame, const Results& results);

 private:
  http::Reply Get(std::string_view path) override;
  http::Part NewestPart(uint32_t channel) override;
  void SetWanted(bool wanted) override { wanted_ = wanted; }

  std::mutex drawing_;  // held while the session is looked at
  const octet_session* session_;
  std::atomic<bool> wanted_{false};

  // What is shown of one camera.
  struct View {
    std::string name;
    // Under mutex_.
    FrameBuffer frame;
    Results results;
    std::string status;
    uint64_t status_ns = 0, shown = 0;
    // Of the serving thread.
    uint64_t encoded = 0;
    FrameBuffer taken;
    Results drawn;
    std::vector<uint8_t> jpeg;
  };
  static std::vector<View> ViewsOf(const std::vector<std::string>& names);
  http::Reply GetOf(uint32_t channel, std::string_view path);
  void AddStatus(const View& view, std::string* text) const;

  const bool is_list_;
  std::mutex mutex_;
  std::vector<View> views_;

  // Of the serving thread.
  Annotated picture_;
  std::string served_status_;

  http::Server server_;  // the last: its thread uses all of the above
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_PAGE_PAGE_H_
