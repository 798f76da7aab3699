#include "bench/serve/echo.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include <cerrno>
#include <vector>

#include "ports/linux/output/error.h"

namespace octet::bench {

Echo::Echo(const Request& request, size_t answer_bytes) {
  ending_ = eventfd(0, EFD_CLOEXEC);
  if (request.by_zmq) {
    context_ = zmq_ctx_new();
    router_ = zmq_socket(context_, ZMQ_ROUTER);
    const int linger = 0;
    zmq_setsockopt(router_, ZMQ_LINGER, &linger, sizeof(linger));
    char place[128];
    size_t size = sizeof(place);
    if (zmq_bind(router_, "tcp://127.0.0.1:*") != 0 ||
        zmq_getsockopt(router_, ZMQ_LAST_ENDPOINT, place, &size) != 0) {
      throw port::InputError("the echo cannot listen: " + port::ErrorText(errno));
    }
    place_ = place;
    thread_ = std::thread([this, answer_bytes] { ServeZmq(answer_bytes); });
    return;
  }
  sockaddr_in address = {};
  socklen_t size = sizeof(address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, name, size) != 0 || listen(listener_, 1) != 0 ||
      getsockname(listener_, name, &size) != 0) {
    throw port::InputError("the echo cannot listen: " + port::ErrorText(errno));
  }
  place_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(answer_bytes) +
                             "\r\n\r\n" + std::string(answer_bytes, 'x');
  thread_ =
      std::thread([this, answer, bytes = request.frames[0].size()] { ServeHttp(bytes, answer); });
}

Echo::~Echo() {
  eventfd_write(ending_, 1);
  if (listener_ >= 0) shutdown(listener_, SHUT_RDWR);
  thread_.join();
  if (router_ != nullptr) {
    zmq_close(router_);
    zmq_ctx_term(context_);
  }
  if (listener_ >= 0) close(listener_);
  close(ending_);
}

// Until the client has closed its connection.
void Echo::ServeHttp(size_t request_bytes, const std::string& answer) {
  const int file = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (file < 0) return;
  const int on = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  std::vector<char> bytes(request_bytes);
  for (;;) {
    size_t got = 0;
    while (got < request_bytes) {
      const ssize_t now = recv(file, bytes.data() + got, request_bytes - got, 0);
      if (now <= 0) {
        close(file);
        return;
      }
      got += static_cast<size_t>(now);
    }
    for (size_t sent = 0; sent < answer.size();) {
      const ssize_t now = send(file, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) break;
      sent += static_cast<size_t>(now);
    }
  }
}

void Echo::ServeZmq(size_t answer_bytes) {
  const std::string answer(answer_bytes, 'x');
  zmq_pollitem_t items[2] = {{router_, 0, ZMQ_POLLIN, 0}, {nullptr, ending_, ZMQ_POLLIN, 0}};
  for (;;) {
    zmq_poll(items, 2, -1);
    if (items[1].revents != 0) return;
    // Identity, empty, header, tensor: the first two go back.
    std::vector<std::string> envelope;
    int more = 1;
    while (more != 0) {
      zmq_msg_t frame;
      zmq_msg_init(&frame);
      zmq_msg_recv(&frame, router_, 0);
      more = zmq_msg_more(&frame);
      if (envelope.size() < 2) {
        envelope.emplace_back(static_cast<const char*>(zmq_msg_data(&frame)), zmq_msg_size(&frame));
      }
      zmq_msg_close(&frame);
    }
    for (const std::string& frame : envelope) {
      zmq_send(router_, frame.data(), frame.size(), ZMQ_SNDMORE);
    }
    zmq_send(router_, answer.data(), answer.size(), 0);
  }
}

}  // namespace octet::bench
