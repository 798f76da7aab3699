// What a board allows (octet/board.h), from a small text that lies beside the model and is changed
// without a new build: `octet boards --whitelist` writes it.
//
//   jetson-nano
//   precisions int8 fp16
//   weight_schemes per_tensor per_channel
//   activation_schemes symmetric
//
// The first line is the board's name; the others are optional, and without one all is allowed.
#ifndef OCTET_PORTS_LINUX_WHITELIST_H_
#define OCTET_PORTS_LINUX_WHITELIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "octet/board.h"

namespace octet::port {

class Model;

// Of an option that ReadWhitelist takes.
constexpr const char* kBoardHelp =
    "name of this board, or its file from octet boards --whitelist: a blob for another board, or "
    "with anything this board does not allow, is refused";

// where: what the text is called in messages. Throws InputError with the line that is wrong.
octet_board ParseWhitelist(const std::string& text, const std::string& where);
// The path of a file with such a text; else a board's name (a-z, 0-9 and -). Throws InputError.
octet_board ReadWhitelist(const std::string& word);
// Back; of words as board files have them. Empty lists: all is allowed.
std::string WhitelistText(const std::string& name, const std::vector<std::string>& precisions,
                          const std::vector<std::string>& weight_schemes,
                          const std::vector<std::string>& activation_schemes);

// Empty, or one line: which rule the blob breaks, where, and the way out. As octet_board_check.
std::string WhyNotOn(const octet_board& board, const void* blob, size_t blob_bytes,
                     uint32_t plan_mask);
// Of the plans that it is to run. Throws InputError with that line, behind the path.
void RequireAllowed(const octet_board& board, const Model& model, const std::string& path);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_WHITELIST_H_
