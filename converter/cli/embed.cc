#include "converter/cli/embed.h"

#include <algorithm>

#include <fmt/format.h>

namespace octet::cli {
namespace {

// Not <cctype>: what a letter is must not depend on the locale.
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string Capitals(std::string name) {
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

}  // namespace

std::string IdentifierOf(const std::string& file_name) {
  std::string name;
  for (const char c : file_name) {
    if (IsLetter(c) || IsDigit(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  if (name.ends_with('_')) name.pop_back();
  if (name.empty()) return "model";
  return IsDigit(name.front()) ? "model_" + name : name;
}

bool IsIdentifier(const std::string& name) {
  // C++ keeps two underscores in a row for itself, wherever they stand; one more follows.
  return !name.empty() && IsLetter(name.front()) && !name.ends_with('_') &&
         name.find("__") == std::string::npos && std::all_of(name.begin(), name.end(), [](char c) {
           return IsLetter(c) || IsDigit(c) || c == '_';
         });
}

std::string AssemblerText(const std::string& name, std::span<const uint8_t> blob) {
  // A section of its own, so that a linker script can place it and --gc-sections drop it.
  std::string text = fmt::format(
      "/* An Octet blob of {0} bytes; octet embed wrote this. 64-byte aligned, as octet_bind asks. "
      "*/\n"
      "    .section .rodata.{1}_blob, \"a\", %progbits\n"
      "    .balign 64\n"
      "    .globl {1}_blob\n"
      "    .type {1}_blob, %object\n"
      "    .size {1}_blob, {0}\n"
      "{1}_blob:\n",
      blob.size(), name);
  constexpr size_t kLine = 24;
  text.reserve(text.size() + 5 * blob.size());
  for (size_t i = 0; i < blob.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{}", i % kLine == 0 ? "    .byte " : ",", blob[i]);
    if (i % kLine == kLine - 1 || i + 1 == blob.size()) text += '\n';
  }
  text += fmt::format(
      "    .globl {0}_blob_end\n"
      "{0}_blob_end:\n"
      "#if defined(__linux__)\n"
      "    .section .note.GNU-stack, \"\", %progbits\n"
      "#endif\n",
      name);
  return text;
}

std::string HeaderText(const std::string& name, uint32_t threads,
                       const std::vector<Constant>& constants) {
  const std::string capitals = Capitals(name);
  std::string text = fmt::format(
      "/* The Octet blob {0}_blob and what octet_bind needs for it; octet embed wrote this.\n"
      " *\n"
      " *   static _Alignas(64) unsigned char arena[{1}_ARENA_BYTES];  (C++: alignas(64) static)\n"
      " *   octet_bind({0}_blob, {1}_BLOB_BYTES, arena, sizeof(arena), &config, &session);\n"
      " *\n"
      " * {1}_ARENA_BYTES holds the plans of {1}_PLAN_MASK at every level with up to {2} "
      "thread{3}, those behind "
      "it\n"
      " * the one level. Machines with 32-bit addresses need a little less. */\n"
      "#ifndef {1}_BLOB_H_\n"
      "#define {1}_BLOB_H_\n\n",
      name, capitals, threads, threads == 1 ? "" : "s");
  for (const Constant& constant : constants) {
    text += fmt::format("#define {}_{} {}\n", capitals, Capitals(constant.name), constant.value);
  }
  text += fmt::format(
      "\n#ifdef __cplusplus\n"
      "extern \"C\" {{\n"
      "#endif\n\n"
      "extern const unsigned char {0}_blob[{1}_BLOB_BYTES];\n"
      "extern const unsigned char {0}_blob_end[];\n\n"
      "#ifdef __cplusplus\n"
      "}}\n"
      "#endif\n\n"
      "#endif\n",
      name, capitals);
  return text;
}

}  // namespace octet::cli
