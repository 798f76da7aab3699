// bench-load BLOB...: how long a blob takes from file to a session that can run, and how fast it is
// hashed. The page cache is warm: the first of the repeats reads the file and is not counted.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "ports/linux/model.h"
#include "runtime/format/sha256.h"

namespace octet::bench {
namespace {

constexpr int kRepeat = 51;

double MedianMs(std::vector<uint64_t> ns) {
  std::nth_element(ns.begin(), ns.begin() + static_cast<long>(ns.size() / 2), ns.end());
  return static_cast<double>(ns[ns.size() / 2]) * 1e-6;
}

double MinMs(const std::vector<uint64_t>& ns) {
  return static_cast<double>(*std::min_element(ns.begin(), ns.end())) * 1e-6;
}

struct LoadTime {
  std::vector<uint64_t> map_ns, bind_ns, total_ns;
};

// Map and size the arena, then validate and bind.
LoadTime TimeLoad(const std::string& path) {
  LoadTime time;
  port::ModelOptions options;
  options.verify_hashes = false;
  for (int i = 0; i <= kRepeat; ++i) {
    const uint64_t start = port::NowNs();
    port::Model model(path, options);
    const uint64_t mapped = port::NowNs();
    model.Bind();
    const uint64_t bound = port::NowNs();
    if (i == 0) continue;
    time.map_ns.push_back(mapped - start);
    time.bind_ns.push_back(bound - mapped);
    time.total_ns.push_back(bound - start);
  }
  return time;
}

// In pieces, each at its best of a few passes: another process on the core spoils a piece, not all.
double HashGigabytesPerSecond(const port::MappedFile& file, Sha256BlocksFn blocks) {
  constexpr size_t kPieceBytes = size_t{256} << 10;
  constexpr int kPasses = 5;
  std::vector<uint64_t> best_ns((file.bytes() + kPieceBytes - 1) / kPieceBytes, UINT64_MAX);
  for (int pass = 0; pass < kPasses; ++pass) {
    Sha256 hash;
    Sha256Start(&hash, blocks);
    for (size_t i = 0; i < best_ns.size(); ++i) {
      const size_t offset = i * kPieceBytes;
      const uint64_t start = port::NowNs();
      Sha256Update(&hash, file.data() + offset, std::min(kPieceBytes, file.bytes() - offset));
      best_ns[i] = std::min(best_ns[i], port::NowNs() - start);
    }
    uint8_t digest[kSha256Bytes];
    Sha256Finish(&hash, digest);
  }
  const uint64_t total_ns = std::accumulate(best_ns.begin(), best_ns.end(), uint64_t{0});
  return static_cast<double>(file.bytes()) / static_cast<double>(total_ns);
}

void Report(const std::string& path, bool json, bool first) {
  const LoadTime time = TimeLoad(path);
  const port::MappedFile file(path);
  const double portable = HashGigabytesPerSecond(file, Sha256BlocksPortable);
  const bool instructions = port::VerifyMode(port::DetectCpu()) == OCTET_VERIFY_SHA_INSTRUCTIONS;
  const double fast = instructions ? HashGigabytesPerSecond(file, Sha256BlocksAccelerated()) : 0;
  if (json) {
    std::printf(
        "%s{\"blob\":\"%s\",\"bytes\":%zu,\"load_median_ms\":%.4f,\"load_min_ms\":%.4f,"
        "\"map_median_ms\":%.4f,\"bind_median_ms\":%.4f,\"hash_portable_gb_s\":%.3f,"
        "\"hash_instructions_gb_s\":%.3f}",
        first ? "" : ",\n", path.c_str(), file.bytes(), MedianMs(time.total_ns),
        MinMs(time.total_ns), MedianMs(time.map_ns), MedianMs(time.bind_ns), portable, fast);
    return;
  }
  std::printf("%s: %zu bytes\n", path.c_str(), file.bytes());
  std::printf("  map %.3f ms, validate and bind %.3f ms, together %.3f ms (min %.3f)\n",
              MedianMs(time.map_ns), MedianMs(time.bind_ns), MedianMs(time.total_ns),
              MinMs(time.total_ns));
  std::printf("  SHA-256 portable %.2f GB/s", portable);
  if (instructions) std::printf(", SHA instructions %.2f GB/s", fast);
  std::printf("\n");
}

int Main(int argc, char** argv) {
  const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  if (argc < (json ? 3 : 2)) {
    std::fprintf(stderr, "usage: bench-load [--json] BLOB...\n");
    return 2;
  }
  try {
    if (json) std::printf("[");
    for (int i = json ? 2 : 1; i < argc; ++i) Report(argv[i], json, i == 2);
    if (json) std::printf("]\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-load: %s\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace octet::bench

int main(int argc, char** argv) {
  return octet::bench::Main(argc, argv);
}
