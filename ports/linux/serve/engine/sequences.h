// Sequences of a model that keeps states: each client's states between two of its requests. They
// are bounded in number, and go when nothing is asked for long. Of one model: another has none.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_SEQUENCES_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_SEQUENCES_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace octet::port::serve {

class Sequences {
 public:
  static constexpr size_t kMost = 256;
  static constexpr uint64_t kPatienceNs = 60'000'000'000;

  enum class Begun : uint8_t {
    kFirst,    // the states are those of the start
    kGoesOn,   // *states are those behind the request before
    kUnknown,  // it has not begun, or has expired
    kBusy,     // a request of it runs
    kFull,     // kMost others go on
  };
  // The sequence is the caller's until Keep or End, unless the answer is one of the last three. A
  // start begins it anew.
  Begun Begin(const std::string& id, bool is_start, uint64_t now_ns, std::vector<uint8_t>* states);
  // It goes on with these states.
  void Keep(const std::string& id, uint64_t now_ns, std::vector<uint8_t> states);
  void End(const std::string& id);
  // Those that nobody has asked for go; Begin does the same.
  void Expire(uint64_t now_ns);

  size_t size() const;

 private:
  struct Sequence {
    std::vector<uint8_t> states;
    uint64_t used_ns = 0;
    bool is_busy = false;
  };
  void ExpireLocked(uint64_t now_ns);

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Sequence> sequences_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_SEQUENCES_H_
