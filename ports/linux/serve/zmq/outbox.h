// Answers of workers on their way to the thread that owns the socket. ZeroMQ's sockets are of one
// thread each.
#ifndef OCTET_PORTS_LINUX_SERVE_ZMQ_OUTBOX_H_
#define OCTET_PORTS_LINUX_SERVE_ZMQ_OUTBOX_H_

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace octet::port::serve {

struct ZmqMessage {
  std::vector<std::string> envelope;  // of the request
  std::string bytes;
};

class Outbox {
 public:
  Outbox() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  ~Outbox() { close(descriptor_); }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  int descriptor() const { return descriptor_; }  // readable: something is there
  void Put(ZmqMessage message) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      messages_.push_back(std::move(message));
    }
    Wake();
  }
  void Wake() const {
    const uint64_t one = 1;
    // It fails only after 2^64 calls.
    [[maybe_unused]] const ssize_t written = write(descriptor_, &one, sizeof(one));
  }
  std::vector<ZmqMessage> TakeAll() {
    uint64_t count = 0;
    // Nothing to read: somebody has woken us for another reason.
    [[maybe_unused]] const ssize_t got = read(descriptor_, &count, sizeof(count));
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  const int descriptor_;
  std::mutex mutex_;
  std::vector<ZmqMessage> messages_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ZMQ_OUTBOX_H_
