// A page to look at in a browser, on localhost and only when asked for: "/" the page, "/stream"
// pictures with boxes as multipart JPEG, "/frame.jpg" the newest one, "/status.json" the newest
// line. One thread of its own; the loop only hands it a copy of a frame when somebody looks.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_HTTP_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_HTTP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ports/linux/camera/program/draw.h"
#include "ports/linux/capture/stop.h"
#include "ports/linux/http/request.h"
#include "ports/linux/results/text.h"

namespace octet::port {

class HttpServer {
 public:
  // Listens on 127.0.0.1:port (0: any that is free), from a thread that calls `begin` first. Throws
  // InputError.
  HttpServer(uint16_t port, const octet_session* session, const StopRequest& stop,
             std::function<void()> begin);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const { return port_; }
  // Somebody waits for a picture.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }
  // Whose labels are drawn; null: nothing is drawn until there is one. A last picture of the model
  // before may get names of this one.
  void SetSession(const octet_session* session);
  // The newest line, for /status.json.
  void SetStatus(const Line& status);
  // Copies what it needs.
  void Show(const FrameBuffer& frame, const Results& results);

 private:
  struct Client;

  void Serve();
  void Accept();
  int MillisecondsLeft() const;
  bool HasRoom() const;
  bool Read(Client& client);
  void Answer(Client& client, http::Reading reading, const http::Request& request);
  void Queue(Client& client, const std::string& head, const void* body, size_t bytes);
  bool Flush(Client& client);
  bool EncodeNewest();
  void SendPictures();

  int listener_ = -1;
  uint16_t port_ = 0;
  std::mutex drawing_;  // held while the session is looked at
  const octet_session* session_;
  const StopRequest& stop_;
  int wake_ = -1;  // eventfd: a frame has come, or the end
  std::atomic<bool> wanted_{false}, ending_{false};

  std::mutex mutex_;  // of the next three
  FrameBuffer frame_;
  Results results_;
  std::string status_;
  uint64_t shown_ = 0;

  // Of the serving thread.
  uint64_t encoded_ = 0;
  FrameBuffer taken_;
  Results drawn_;
  Annotated picture_;
  std::vector<uint8_t> jpeg_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::thread thread_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_HTTP_H_
