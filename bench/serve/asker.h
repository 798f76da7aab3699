// One client: the same request again and again, one at a time, over one connection.
#ifndef OCTET_BENCH_SERVE_ASKER_H_
#define OCTET_BENCH_SERVE_ASKER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace octet::bench {

class Asker {
 public:
  Asker() = default;
  virtual ~Asker() = default;
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  // Sends the request, and waits for the whole answer. Throws InputError: there is none.
  virtual std::string Ask() = 0;
};

// What an answer is to: by ZeroMQ the frames of a message, by HTTP one text with its head.
struct Request {
  std::string name;
  bool by_zmq = false;
  std::vector<std::string> frames;
};

// A noisy picture of side x side pixels, by each protocol.
std::vector<Request> Requests(uint32_t side, const std::string& model, const std::string& input);

// place: tcp://ADDRESS:PORT or http://ADDRESS:PORT, of this machine.
std::unique_ptr<Asker> MakeAsker(const Request& request, const std::string& place);
// Of GET path, again and again: the body.
std::unique_ptr<Asker> MakeGetter(const std::string& place, const std::string& path);

uint16_t PortOf(const std::string& place);

}  // namespace octet::bench

#endif  // OCTET_BENCH_SERVE_ASKER_H_
