// The result of a call as a message that says what to do.
#include "ports/linux/slot/slot_header.h"
#include "ports/linux/slot/slot_store.h"

namespace octet::port {
namespace {

// The way out of each, behind what it is.
const char* WayOut(octet_slots_code code) {
  switch (code) {
    case OCTET_SLOTS_READ_BACK:
      return "replace the storage";
    case OCTET_SLOTS_FULL:
      return "use a smaller model, or a larger device";
    case OCTET_SLOTS_EMPTY:
      return "stage one first: octet-slot STORE stage MODEL.octet";
    case OCTET_SLOTS_PENDING:
      return "confirm it or roll back first";
    case OCTET_SLOTS_NOT_PENDING:
      return "start a trial with activate";
    case OCTET_SLOTS_NOT_BOOTED:
      return "start the program that runs it, or roll back";
    case OCTET_SLOTS_NO_PREVIOUS:
      return "stage and activate another model";
    case OCTET_SLOTS_VERSION:
      return "use programs as new as those that wrote them";
    case OCTET_SLOTS_BLOB:
      return "convert the model again, or copy the file again";
    case OCTET_SLOTS_CHANGED:
      return "stage the model again";
    case OCTET_SLOTS_UNSIGNED:
      return "octet sign MODEL.octet --key K with the key of this store";
    case OCTET_SLOTS_SIGNATURE:
      return "sign the model with the key of this store, or copy the file again";
    case OCTET_SLOTS_COUNTER:
      return "convert it with a --security-counter as high as this store's";
    case OCTET_SLOTS_BOARD:
      return "convert it for this board";
    case OCTET_SLOTS_OTHER:
      return "octet-slot STORE stage FILE --force, then activate --force, accept it anyway";
    case OCTET_SLOTS_PRODUCT:
      return "stage --force and activate --force accept it anyway";
    case OCTET_SLOTS_RANDOM:
      return "convert it with pictures; stage --force and activate --force accept it anyway";
    case OCTET_SLOTS_SELF_TEST:
      return "convert the model again; if it happens again, this machine computes wrongly";
    default:
      return nullptr;
  }
}

}  // namespace

SlotAnswer SlotStore::Explained(octet_slots_code code, octet_slot slot, uint32_t detail) {
  SlotAnswer answer;
  answer.code = code;
  if (code == OCTET_SLOTS_OK) return answer;
  answer.why = path() + ": ";
  if (code == OCTET_SLOTS_EMPTY || code == OCTET_SLOTS_BLOB) {
    for (const octet_slot damaged : {OCTET_SLOT_A, OCTET_SLOT_B}) {
      const std::string damage = DamageOf(damaged);
      if (damage.empty()) continue;
      answer.why += std::string("slot ") + SlotName(damaged) + ": " + damage + kDamageWayOut;
      return answer;
    }
  }
  if (code >= OCTET_SLOTS_BLOB) {
    if (slot <= OCTET_SLOT_B) answer.why += std::string("slot ") + SlotName(slot) + ": ";
    if (slot == kNoSlotYet) answer.why += "the new model: ";
  }
  answer.why += octet_slots_code_name(code);
  if (code == OCTET_SLOTS_STORAGE) answer.why += ": " + storage_.error();
  if (code == OCTET_SLOTS_BLOB) answer.why += std::string(": ") + octet_code_name(detail);
  if (code == OCTET_SLOTS_SELF_TEST) answer.why += ": " + self_test_;
  if (code == OCTET_SLOTS_OTHER || code == OCTET_SLOTS_PRODUCT) answer.why += ": " + difference_;
  if (code == OCTET_SLOTS_BOARD) {
    answer.why += ": it is for " + BoardOf(slot) + ", and this board is " + board();
  }
  if (code == OCTET_SLOTS_WHITELIST) answer.why += ": " + not_allowed_;
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  if (code == OCTET_SLOTS_COUNTER) {
    answer.why += ": must be at least " + std::to_string(info.security_counter);
    if (options_.least_counter == info.security_counter && options_.least_counter != 0) {
      answer.why += " (--least-security-counter)";
    }
  }
  if (const std::string way_out = WayOutOf(code); !way_out.empty()) answer.why += "; " + way_out;
  return answer;
}

std::string SlotStore::WayOutOf(octet_slots_code code) const {
  const bool is_signature = code == OCTET_SLOTS_UNSIGNED || code == OCTET_SLOTS_SIGNATURE;
  if (is_signature && options_.require_signature) {
    return "sign the model with the key of --key, then flash it; the store's key.pub does not "
           "count";
  }
  const char* way_out = WayOut(code);
  return way_out == nullptr ? "" : way_out;
}

std::string SlotStore::BoardOf(octet_slot slot) {
  if (slot == kNoSlotYet) return candidate_board_;
  blob::Header header;
  return ReadHeader(port_, slot, &header) ? BoardNameOf(header) : "another one";
}

}  // namespace octet::port
