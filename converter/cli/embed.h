// A blob as source files: what octet embed writes.
#ifndef OCTET_CONVERTER_CLI_EMBED_H_
#define OCTET_CONVERTER_CLI_EMBED_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace octet::cli {

// A name for symbols of a file's name: what cannot stand in one becomes an underscore.
std::string IdentifierOf(const std::string& file_name);
// Whether NAME_blob and NAME_BLOB_BYTES are names that C and C++ leave to programs.
bool IsIdentifier(const std::string& name);

// A #define of the header, behind the name's capitals and an underscore: ARENA_BYTES_NEON.
struct Constant {
  std::string name;
  size_t value = 0;
};

// For GNU as on any ELF target: NAME_blob and NAME_blob_end in .rodata, at 64 bytes.
std::string AssemblerText(const std::string& name, std::span<const uint8_t> blob);
// For C and C++.
std::string HeaderText(const std::string& name, uint32_t threads,
                       const std::vector<Constant>& constants);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_EMBED_H_
