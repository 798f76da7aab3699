#include "converter/sections/whitelist/whitelist.h"
#include "converter/sections/make.h"

#include <stdexcept>

#include "converter/blobs/blob_file.h"
#include "converter/support/error.h"
#include "octet/board.h"

namespace octet::sections {

void CheckWhitelist(const std::vector<uint8_t>& blob, const boards::Board& board,
                    const std::string& model) {
  octet_board allowed{};
  if (!boards::Allows(board.activation_schemes, "asymmetric")) {
    allowed.activation_schemes = OCTET_BOARD_SYMMETRIC;
  }
  if (!boards::Allows(board.weight_schemes, "per_channel")) {
    allowed.weight_schemes =
        OCTET_BOARD_PER_TENSOR |
        (boards::Allows(board.weight_schemes, "group") ? OCTET_BOARD_GROUP : 0);
  }
  const blobs::BlobFile copy(blob);
  octet_board_finding found{};
  if (octet_board_check(copy.data(), copy.bytes(), 0, &allowed, &found).code != OCTET_OK) {
    throw std::logic_error("verified blob cannot be compared with the whitelist");
  }
  if (found.rule == OCTET_BOARD_WEIGHTS) {
    Fail(
        "{}: layer '{}' has its own scales by channel, {} does not allow them; convert the model "
        "as it was before quantization",
        model, found.where, board.compatible);
  }
  if (found.rule == OCTET_BOARD_OK) return;
  Fail(
      "{}: tensor '{}' has its own zero point {}, {} allows symmetric activations only; convert "
      "the model as it was before quantization",
      model, found.where, found.zero_point, board.compatible);
}

bool Whitelist::Finish(const Given& given, std::vector<uint8_t>* blob, Told* /*told*/) const {
  CheckWhitelist(*blob, given.asked.board, given.asked.model);
  return false;
}

std::shared_ptr<Section> MakeWhitelist() {
  return std::make_shared<Whitelist>();
}

}  // namespace octet::sections
