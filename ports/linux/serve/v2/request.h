// An inference request of the Open Inference Protocol v2 (KServe), with its binary tensors. Bytes
// of any client: fuzzed (tests/fuzz/v2_target.cc).
#ifndef OCTET_PORTS_LINUX_SERVE_V2_REQUEST_H_
#define OCTET_PORTS_LINUX_SERVE_V2_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octet::port::serve {

struct V2Input {
  std::string name;
  std::vector<uint64_t> shape;
  bool is_bytes = false;          // UINT8; else FP32
  std::vector<float> floats;      // of FP32
  std::span<const uint8_t> sent;  // of UINT8 that is binary: in the body
  std::vector<uint8_t> listed;    // of UINT8 in JSON

  std::span<const uint8_t> Bytes() const { return listed.empty() ? sent : listed; }
};

struct V2Output {
  std::string name;
  bool is_binary = false;
};

struct V2Request {
  bool has_id = false;
  std::string id;
  std::vector<V2Input> inputs;
  std::vector<V2Output> outputs;  // none: all of them
  bool binary_outputs = false;    // where `outputs` is empty
  std::string sequence;           // its id; empty: of none
  bool is_start = false, is_end = false;
};

constexpr size_t kMostV2Tensors = 64;
constexpr size_t kMostV2Rank = 8;

// header_length: of Inference-Header-Content-Length, or "" where the body is JSON alone. The body
// has to outlive the request. False, with *why in one line.
bool ReadV2Request(std::string_view body, std::string_view header_length, V2Request* request,
                   std::string* why);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_V2_REQUEST_H_
