#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <unistd.h>

#include "converter/support/error.h"
#include "converter/write/write.h"
#include "ports/linux/output/output_file.h"

namespace octet::write {

namespace {

[[noreturn]] void Refuse(const std::filesystem::path& path, const std::string& why) {
  Fail("{}: cannot be written: {}", path.string(), why);
}

}  // namespace

void SaveFile(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
  try {
    port::OutputFile file(path.string(), port::Kept::kDurable);
    file.Write(bytes.data(), bytes.size());
    file.Commit();
  } catch (const port::WriteError& error) {
    Refuse(path, error.why);
  }
}

void CheckWritable(const std::filesystem::path& path,
                   const std::vector<std::filesystem::path>& inputs) {
  std::error_code ignored;
  for (const std::filesystem::path& input : inputs) {
    if (std::filesystem::equivalent(path, input, ignored)) {
      Fail("{}: this command reads that file and would replace it; name another output",
           path.string());
    }
  }
  const bool is_there = std::filesystem::exists(path, ignored);
  // A pipe or a device is opened once, by who writes to it.
  if (is_there && !std::filesystem::is_regular_file(path, ignored) &&
      !std::filesystem::is_directory(path, ignored)) {
    if (access(path.c_str(), W_OK) != 0) Refuse(path, std::strerror(errno));
    return;
  }
  if (path.string().starts_with("/dev/")) return;  // a descriptor that is open already
  try {
    const port::OutputFile probe(path.string());
  } catch (const port::WriteError& error) {
    Refuse(path, error.why);
  }
}

}  // namespace octet::write
