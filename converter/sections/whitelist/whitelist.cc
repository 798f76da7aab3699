// The board's list of what is allowed, held against the finished blob. No section comes of it.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "converter/blobs/blob_file.h"
#include "converter/boards/board.h"
#include "converter/sections/make.h"
#include "converter/sections/section.h"
#include "converter/support/error.h"
#include "octet/board.h"

namespace octet::sections {
namespace {

class Whitelist : public Section {
 public:
  bool Finish(const Conversion& given, std::vector<uint8_t>* blob, Told* told) const override;
};

}  // namespace

// As the board will see it; what is listed but for activations has been checked with the list.
// Throws UserError where the model's own scales are not allowed there.
bool Whitelist::Finish(const Conversion& given, std::vector<uint8_t>* blob, Told* /*told*/) const {
  octet_board allowed{};
  if (!boards::Allows(given.asked.board.activation_schemes, "asymmetric")) {
    allowed.activation_schemes = OCTET_BOARD_SYMMETRIC;
  }
  if (!boards::Allows(given.asked.board.weight_schemes, "per_channel")) {
    allowed.weight_schemes =
        OCTET_BOARD_PER_TENSOR |
        (boards::Allows(given.asked.board.weight_schemes, "group") ? OCTET_BOARD_GROUP : 0);
  }
  const blobs::BlobFile copy(*blob);
  octet_board_finding found{};
  if (octet_board_check(copy.data(), copy.bytes(), 0, &allowed, &found).code != OCTET_OK) {
    throw std::logic_error("verified blob cannot be compared with the whitelist");
  }
  if (found.rule == OCTET_BOARD_WEIGHTS) {
    Fail(
        "{}: layer '{}' has its own scales by channel, {} does not allow them; convert the model "
        "as it was before quantization",
        given.asked.model, found.where, given.asked.board.compatible);
  }
  if (found.rule == OCTET_BOARD_OK) return false;
  Fail(
      "{}: tensor '{}' has its own zero point {}, {} allows symmetric activations only; convert "
      "the model as it was before quantization",
      given.asked.model, found.where, found.zero_point, given.asked.board.compatible);
}

std::shared_ptr<Section> MakeWhitelist() {
  return std::make_shared<Whitelist>();
}

}  // namespace octet::sections
