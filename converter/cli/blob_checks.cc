#include "converter/cli/blob_checks.h"

#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "converter/support/error.h"
#include "octet/board.h"
#include "octet/drift.h"
#include "octet/octet.h"

namespace octet::cli {
namespace {

struct Aligned {
  alignas(64) uint8_t bytes[64];
};

// As the runtime wants it.
std::vector<Aligned> AlignedCopy(const std::vector<uint8_t>& blob) {
  std::vector<Aligned> copy((blob.size() + sizeof(Aligned) - 1) / sizeof(Aligned));
  std::memcpy(copy.data(), blob.data(), blob.size());
  return copy;
}

}  // namespace

void VerifyBlob(const std::vector<uint8_t>& blob) {
  const std::vector<Aligned> copy = AlignedCopy(blob);
  octet_status status =
      octet_validate(copy.data(), blob.size(), OCTET_VERIFY_PORTABLE | OCTET_VERIFY_CONTENT);
  octet_drift_info drift;
  if (status.code == OCTET_OK) status = octet_drift_describe(copy.data(), blob.size(), &drift);
  if (status.code != OCTET_OK) {
    throw std::logic_error(fmt::format("the runtime refuses the new blob: {} at byte {}",
                                       octet_code_name(status.code), status.offset));
  }
}

void CheckWhitelist(const std::vector<uint8_t>& blob, const quantize::Board& board,
                    const std::string& model) {
  octet_board allowed{};
  if (board.symmetric_only) allowed.activation_schemes = OCTET_BOARD_SYMMETRIC;
  if (!board.weights.per_channel) {
    allowed.weight_schemes = OCTET_BOARD_PER_TENSOR | (board.weights.group ? OCTET_BOARD_GROUP : 0);
  }
  const std::vector<Aligned> copy = AlignedCopy(blob);
  octet_board_finding found{};
  if (octet_board_check(copy.data(), blob.size(), 0, &allowed, &found).code != OCTET_OK) {
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

}  // namespace octet::cli
