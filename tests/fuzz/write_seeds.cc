// FUZZER -write_seeds=FOLDER fills the folder and ends.
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static constexpr char kOption[] = "-write_seeds=";
  for (int i = 1; i < *argc; ++i) {
    if (std::strncmp((*argv)[i], kOption, std::strlen(kOption)) != 0) continue;
    const std::filesystem::path folder((*argv)[i] + std::strlen(kOption));
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const auto& seed : octet::fuzz::Seeds()) {
      std::ofstream(folder / ("seed-" + std::to_string(number++)), std::ios::binary)
          .write(reinterpret_cast<const char*>(seed.data()),
                 static_cast<std::streamsize>(seed.size()));
    }
    std::printf("%d seeds\n", number);
    std::exit(0);
  }
  return 0;
}
