// One HTTP request with its body, and the place for its answer.
#ifndef OCTET_PORTS_LINUX_SERVE_WEB_EXCHANGE_H_
#define OCTET_PORTS_LINUX_SERVE_WEB_EXCHANGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace octet::port::serve {

struct WebRequest {
  std::string method, path;  // without a query
  std::string host, authorization, content_type, content_encoding;
  std::string inference_header_length;  // Inference-Header-Content-Length of v2
  std::string body;
  uint64_t client = 0;  // of its connection
};

struct WebReply {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
  std::string inference_header_length = {};  // "": the header is not sent
};

class Exchange {
 public:
  Exchange() = default;
  ~Exchange() { DropBody(); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  WebRequest request;

  // The server's: so many more bytes of the body are in memory, which `sum` counts until they go.
  void Hold(std::atomic<size_t>* sum, size_t bytes) {
    held_ = sum;
    held_bytes_ += bytes;
    *sum += bytes;
  }
  void DropBody() {
    std::string().swap(request.body);
    if (held_ != nullptr) *held_ -= std::exchange(held_bytes_, 0);
  }

  // From any thread, once.
  void Finish(WebReply reply) {
    std::function<void()> resume;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      reply_ = std::move(reply);
      resume = std::move(resume_);
    }
    if (resume) resume();
  }

  // The server's: the reply, or `suspend` is called, and `resume` when it is there.
  std::optional<WebReply> TakeOr(const std::function<void()>& suspend,
                                 std::function<void()> resume) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (reply_) return std::exchange(reply_, std::nullopt);
    suspend();
    resume_ = std::move(resume);
    return std::nullopt;
  }

 private:
  std::atomic<size_t>* held_ = nullptr;
  size_t held_bytes_ = 0;
  std::mutex mutex_;
  std::optional<WebReply> reply_;
  std::function<void()> resume_;
};

// {"error": "..."} with this status.
WebReply ErrorReply(unsigned status, const std::string& why);
// A JSON string with its quotes.
std::string JsonText(std::string_view text);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_WEB_EXCHANGE_H_
