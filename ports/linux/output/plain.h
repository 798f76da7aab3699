// Text that may hold what others named: files, labels, layers. A terminal obeys some of its bytes.
#ifndef OCTET_PORTS_LINUX_OUTPUT_PLAIN_H_
#define OCTET_PORTS_LINUX_OUTPUT_PLAIN_H_

#include <cstddef>

namespace octet::port {

// Control characters become '?': those below 0x20 and 0x7F, and in UTF-8 those from 0x80 to 0x9F.
// Returns the last byte, which is `before` for the text behind this one. `lines`: the ends of lines
// and tabs stay, and a return as the first byte, with which progress begins.
inline char MakePlain(char* text, size_t count, bool lines, char before = 0) {
  for (size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 = static_cast<unsigned char>(before) == 0xC2 && byte >= 0x80 && byte < 0xA0;
    before = text[i];
    if (lines && (byte == '\n' || byte == '\t' || (byte == '\r' && i == 0))) continue;
    if (byte < 0x20 || byte == 0x7F || is_c1) text[i] = '?';
  }
  return before;
}

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_OUTPUT_PLAIN_H_
