#include "bench/serve/asker.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <zmq.hpp>

#include "ports/linux/output/error.h"

namespace octet::bench {
namespace {

using port::ErrorText;
using port::InputError;

class ZmqAsker final : public Asker {
 public:
  ZmqAsker(const Request& request, const std::string& place) : frames_(request.frames) {
    socket_.set(zmq::sockopt::rcvtimeo, 10000);
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect(place);
  }
  std::string Ask() override {
    for (size_t i = 0; i < frames_.size(); ++i) {
      const auto more = i + 1 < frames_.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
      socket_.send(zmq::buffer(frames_[i]), more);
    }
    zmq::message_t answer;
    if (!socket_.recv(answer)) throw InputError("no answer by ZeroMQ within 10 s");
    return answer.to_string();
  }

 private:
  const std::vector<std::string> frames_;
  zmq::context_t context_{1};
  zmq::socket_t socket_{context_, zmq::socket_type::req};
};

class HttpAsker final : public Asker {
 public:
  HttpAsker(std::string request, const std::string& place) : request_(std::move(request)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(PortOf(place));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    file_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    const timeval patience = {10, 0};
    setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      const int error = errno;
      close(file_);
      throw InputError(place + ": " + ErrorText(error));
    }
  }
  ~HttpAsker() override { close(file_); }

  std::string Ask() override {
    for (size_t sent = 0; sent < request_.size();) {
      const ssize_t now = send(file_, request_.data() + sent, request_.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) throw InputError("the connection ended: " + ErrorText(errno));
      sent += static_cast<size_t>(now);
    }
    std::string answer;
    size_t head = std::string::npos;
    while (head == std::string::npos) {
      Receive(&answer);
      head = answer.find("\r\n\r\n");
    }
    head += 4;
    if (answer.rfind("HTTP/1.1 200 ", 0) != 0) {
      throw InputError("the answer is " + answer.substr(0, answer.find('\r')));
    }
    const std::string word = "\r\nContent-Length: ";  // not the length of v2's header
    const size_t at = answer.find(word);
    size_t length = 0;
    if (at > head) throw InputError("the answer has no Content-Length");
    std::from_chars(answer.data() + at + word.size(), answer.data() + head, length);
    while (answer.size() < head + length) Receive(&answer);
    return answer.substr(head);
  }

 private:
  void Receive(std::string* answer) {
    char bytes[65536];
    const ssize_t now = recv(file_, bytes, sizeof(bytes), 0);
    if (now <= 0) throw InputError("no answer by HTTP: " + ErrorText(now == 0 ? 0 : errno));
    answer->append(bytes, static_cast<size_t>(now));
  }

  const std::string request_;
  int file_ = -1;
};

std::string Post(const std::string& path, const std::string& headers, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

uint16_t PortOf(const std::string& place) {
  const size_t colon = place.rfind(':');
  uint16_t port = 0;
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), port);
  return port;
}

std::vector<Request> Requests(uint32_t side, const std::string& model, const std::string& input) {
  std::string pixels(size_t{side} * side * 3, '\0');
  uint32_t state = 1;
  for (char& pixel : pixels) {
    state = state * 1664525 + 1013904223;
    pixel = static_cast<char>(state >> 24);
  }
  const std::string n = std::to_string(side), shape = "[1," + n + "," + n + ",3]";
  const std::string header =
      R"({"shape": )" + shape + R"(, "dtype": "uint8", "model_type": "ssd"})";
  const std::string json = R"({"inputs":[{"name":")" + input + R"(","shape":)" + shape +
                           R"(,"datatype":"UINT8","parameters":{"binary_data_size":)" +
                           std::to_string(pixels.size()) +
                           R"(}}],"parameters":{"binary_data_output":true}})";
  const std::string form =
      "--XX\r\nContent-Disposition: form-data; name=\"image\"; "
      "filename=\"a.ppm\"\r\n\r\nP6\n" +
      n + " " + n + "\n255\n" + pixels + "\r\n--XX--\r\n";
  return {
      {"zmq", true, {header, pixels}},
      {"v2",
       false,
       {Post("/v2/models/" + model + "/infer",
             "Inference-Header-Content-Length: " + std::to_string(json.size()) + "\r\n",
             json + pixels)}},
      {"deepstack",
       false,
       {Post("/v1/vision/detection", "Content-Type: multipart/form-data; boundary=XX\r\n", form)}},
  };
}

std::unique_ptr<Asker> MakeAsker(const Request& request, const std::string& place) {
  if (request.by_zmq) return std::make_unique<ZmqAsker>(request, place);
  return std::make_unique<HttpAsker>(request.frames[0], place);
}

std::unique_ptr<Asker> MakeGetter(const std::string& place, const std::string& path) {
  return std::make_unique<HttpAsker>("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", place);
}

}  // namespace octet::bench
