// The head of an HTTP request: whatever comes, the parts lie within it, and more bytes do not
// change an answer once given.
#include "ports/linux/http/request.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 8192;

std::vector<Input> Seeds() {
  return {
      FromText("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      FromText(
          "GET /status.json?t=1 HTTP/1.0\r\nhost:\t127.0.0.1:8080 \r\nAccept: */*\r\n\r\nrest"),
      FromText("POST /x HTTP/1.1\r\nHost: [::1]:80\r\nHost: evil\r\n\r\n"),
      FromText("GET /half"),
  };
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::port;
  const std::string text(reinterpret_cast<const char*>(data), size);
  http::Request request;
  const http::Reading reading = http::ReadRequest(text, &request);
  if (reading == http::Reading::kUnfinished) FUZZ_CHECK(size < http::kLongestHead);
  if (reading != http::Reading::kDone) return 0;
  for (const std::string_view part : {request.method, request.path, request.host}) {
    FUZZ_CHECK(part.empty() ||
               (part.data() >= text.data() && part.data() + part.size() <= text.data() + size));
    FUZZ_CHECK(part.find_first_of("\r\n") == std::string_view::npos);
  }
  FUZZ_CHECK(!request.method.empty() && request.path[0] == '/');
  if (http::IsLoopback(request.host)) FUZZ_CHECK(request.host.size() <= 15);
  const std::string longer = text + "GET /other HTTP/1.1\r\nHost: x\r\n\r\n";
  http::Request again;
  FUZZ_CHECK(http::ReadRequest(longer, &again) == http::Reading::kDone);
  FUZZ_CHECK(again.path == request.path && again.host == request.host);
  return 0;
}
