#include "converter/support/shipped.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "converter/support/error.h"

namespace octet {

namespace fs = std::filesystem;

std::optional<fs::path> ShippedFolder(const std::string& kind) {
  std::error_code unreadable, absent;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  if (unreadable) return std::nullopt;
  for (const char* place : {"../share/octet", "../../.."}) {
    fs::path folder = (program.parent_path() / place / kind).lexically_normal();
    if (fs::is_directory(folder, absent)) return folder;
  }
  return std::nullopt;
}

std::string FindShipped(const std::string& word, const std::string& kind,
                        const std::string& extension, const std::string& takes) {
  std::error_code absent;
  if (fs::exists(word, absent)) return word;
  const std::optional<fs::path> folder = ShippedFolder(kind);
  if (!folder) Fail("{}: no such file; {}", word, takes);
  const fs::path named = *folder / (word + extension);
  const bool is_name = !fs::path(word).has_parent_path();
  if (is_name && fs::is_regular_file(named, absent)) return named.string();
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder, absent)) {
    if (entry.path().extension() == extension) names.insert(entry.path().stem().string());
  }
  Fail("{}: no such file; {}, or the name of one in {}: {}", word, takes, folder->string(),
       fmt::join(names, ", "));
}

}  // namespace octet
