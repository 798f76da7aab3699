// Memory of several cameras. Sanitizers need memory of their own.
#include "octet/octet.h"
#include "tests/ports/linux/camera_list/list_fixture.h"

namespace octet::test {
namespace {

using nlohmann::json;

// A blob with much spare weight: one camera more takes its arena, its frames and 1 MiB at most.
class CameraMemory : public CameraList {};

TEST_F(CameraMemory, WeightsAreInMemoryOnce) {
  constexpr uint64_t kMiB = 1 << 20;
  const Blob blob = MakeMixedBlob(8 * kMiB);
  std::ofstream(Path("m.octet"), std::ios::binary)
      .write(reinterpret_cast<const char*>(blob.data()), static_cast<std::streamsize>(blob.size()));
  size_t arena_bytes = 0;
  ASSERT_EQ(
      octet_arena_bytes(blob.data(), blob.size(), OCTET_ISA_REFERENCE, 1, 0, &arena_bytes).code,
      OCTET_OK);
  const auto resident = [&](int cameras) {
    std::string text = "json: true\nframes: 40\ncameras:\n";
    for (int i = 0; i < cameras; ++i) {
      text += "  - {name: c" + std::to_string(i) + ", source: scene, size: 96x64}\n";
    }
    EXPECT_EQ(RunFile(text), 0) << Read("err");
    uint64_t most = 0;
    for (const json& line : Lines()) {
      if (line.contains("summary")) most = std::max<uint64_t>(most, line["summary"]["rss_bytes"]);
    }
    return most;
  };
  const uint64_t one = resident(1), four = resident(4);
  constexpr uint64_t kFrames = 3 * 96 * 64 * 3;
  EXPECT_GT(one, 8 * kMiB) << "the weights are resident";
  std::printf("resident: %llu bytes with one camera, %llu with four, arena %zu\n",
              static_cast<unsigned long long>(one), static_cast<unsigned long long>(four),
              arena_bytes);
  EXPECT_LE(four, one + 3 * (arena_bytes + kFrames + kMiB));
}

}  // namespace
}  // namespace octet::test
