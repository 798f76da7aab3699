// The board's list of what is allowed, held against the finished blob. No section comes of it.
#ifndef OCTET_CONVERTER_SECTIONS_WHITELIST_WHITELIST_H_
#define OCTET_CONVERTER_SECTIONS_WHITELIST_WHITELIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/boards/board.h"
#include "converter/sections/section.h"

namespace octet::sections {

// As the board will see it; what is listed but for activations has been checked with the list.
// Throws UserError where the model's own scales are not allowed there.
void CheckWhitelist(const std::vector<uint8_t>& blob, const boards::Board& board,
                    const std::string& model);

class Whitelist : public Section {
 public:
  bool Finish(const Given& given, std::vector<uint8_t>* blob, Told* told) const override;
};

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_WHITELIST_WHITELIST_H_
