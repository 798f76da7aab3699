// Frames that a program writes to its stdout, and sources that are opened again when they end.
#ifndef OCTET_PORTS_LINUX_CAPTURE_CHILD_SOURCE_H_
#define OCTET_PORTS_LINUX_CAPTURE_CHILD_SOURCE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ports/linux/capture/source.h"

namespace octet::port {

struct ChildCommand {
  std::string name;                  // in messages: of the program
  std::vector<std::string> words;    // as Child takes them
  std::string input;                 // likewise
  std::vector<std::string> secrets;  // not shown in what it says
  StreamFormat format;
  uint32_t timeout_ms = 10000;  // a child that gives no byte for as long has hung, and is ended
};

// One run of the program. Lines that it writes to stderr are printed, a few a minute. say: takes
// them. Throws InputError where it cannot be started.
using Say = std::function<void(const std::string& line)>;
std::unique_ptr<Source> OpenChild(const ChildCommand& command, Say say);

// Time as such a source sees it.
class SourceClock {
 public:
  virtual ~SourceClock() = default;
  virtual uint64_t Now();
  // Until then, or a stop (then false).
  virtual bool SleepUntil(uint64_t when_ns, const StopRequest& stop);
};

// A source that never ends: where `open` throws InputError, or what it gave ends or throws, it is
// opened again, with a back-off. say: takes why it was lost, each reason once in ten minutes and
// few of them, and that it is back.
std::unique_ptr<Source> OpenLasting(std::function<std::unique_ptr<Source>()> open, Say say,
                                    std::shared_ptr<SourceClock> clock = nullptr);

// `text` with each of the secrets replaced by ***.
std::string Masked(std::string text, const std::vector<std::string>& secrets);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_CHILD_SOURCE_H_
