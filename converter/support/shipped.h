// Files that come with the program: board files and class names.
#ifndef OCTET_CONVERTER_SUPPORT_SHIPPED_H_
#define OCTET_CONVERTER_SUPPORT_SHIPPED_H_

#include <filesystem>
#include <optional>
#include <string>

namespace octet {

// A folder of them, "boards" or "labels": where cmake --install and packages put it
// (share/octet/KIND), or where it is in the sources for a program of a build folder.
std::optional<std::filesystem::path> ShippedFolder(const std::string& kind);

// The file that a user means by a word: the file of that path, or one that comes with the program,
// by its name without extension ("raspberry-pi-5"). Throws UserError with the names that there
// are; `takes` says what the option takes ("--board takes ...").
std::string FindShipped(const std::string& word, const std::string& kind,
                        const std::string& extension, const std::string& takes);

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_SHIPPED_H_
