// A program as a source, with every call that starts, reads and ends it failing once, each in its
// turn: frames come all the same, and nothing is left open or running.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ports/linux/capture/child.h"
#include "ports/linux/capture/child_source.h"
#include "tests/ports/linux/io/io_calls.h"

namespace octet::test {
namespace {

class NoPauses final : public port::SourceClock {
 public:
  bool SleepUntil(uint64_t, const port::StopRequest& stop) override { return !stop.raised(); }
};

size_t CountDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST(Children, EachCallFailsOnce) {
  const std::string film = testing::TempDir() + "octet-children.y4m";
  std::ofstream(film, std::ios::binary)
      << "YUV4MPEG2 W4 H4 C420jpeg\nFRAME\n" + std::string(24, 'x');
  port::ChildCommand command;
  command.name = "cat";
  command.words = {port::FindProgram("cat"), film};
  command.input = "what ps does not show";
  command.format.y4m = true;
  const port::StopRequest stop;
  const size_t descriptors = CountDescriptors();
  for (const Fault fault : kAllFaults) {
    for (uint64_t number = 0;; ++number) {
      SCOPED_TRACE(std::string(FaultName(fault)) + " at call " + std::to_string(number));
      bool fired = false;
      uint64_t starts = 0;
      {
        port::FrameBuffer frame;
        const FailingCall failing(number, fault);
        {
          const auto source =
              port::OpenLasting([&] { return port::OpenChild(command, [](const std::string&) {}); },
                                [](const std::string&) {}, std::make_shared<NoPauses>());
          ASSERT_EQ(source->Next(&frame, stop), port::Source::Took::kFrame);
          EXPECT_EQ(frame.bytes[0], 'x');
          starts = source->health()->starts;
        }
        fired = failing.fired();
      }
      EXPECT_LE(starts, IsHarmless(fault) ? 1u : 2u);
      ASSERT_EQ(CountDescriptors(), descriptors);
      ASSERT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
      if (!fired) {
        EXPECT_GT(number, 8u) << "calls were counted";
        break;
      }
    }
  }
  std::filesystem::remove(film);
}

}  // namespace
}  // namespace octet::test
