#include "ports/linux/slot/report.h"

#include <cstdio>

#include <nlohmann/json.hpp>

#include "runtime/format/signature.h"

namespace octet::port {
namespace {

const char* StandingName(octet_standing standing) {
  if (standing == OCTET_STANDING_EMPTY) return "empty";
  return standing == OCTET_STANDING_STAGED ? "staged" : "confirmed";
}

// active, on trial, or what its standing says.
std::string RoleOf(const octet_slots_info& info, octet_slot slot) {
  if (slot == info.active) return "active";
  if (slot == info.pending) {
    return "on trial, boot " + std::to_string(info.attempts) + " of " + std::to_string(info.tries);
  }
  return StandingName(info.slots[slot].standing);
}

std::string Hex(const uint8_t (&digest)[32]) {
  std::string text;
  char digits[3];
  for (const uint8_t byte : digest) {
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    text += digits;
  }
  return text;
}

std::string KeyIds(const SlotStore& store) {
  std::string ids;
  for (const PublicKey& key : store.keys()) {
    uint8_t id[OCTET_KEY_ID_BYTES];
    KeyIdOf(key.data(), id);
    ids += (ids.empty() ? "" : ", ") + KeyIdText(id);
  }
  return ids;
}

std::string LastRefusal(const octet_slots_info& info) {
  std::string text = octet_slots_code_name(info.last_refusal);
  if (info.last_refusal == OCTET_SLOTS_BLOB) {
    text += std::string(": ") + octet_code_name(info.detail);
  }
  return text;
}

}  // namespace

std::string StoreText(const octet_slots_info& info, SlotStore& store) {
  std::string text;
  for (octet_slot slot = OCTET_SLOT_A; slot <= OCTET_SLOT_B; ++slot) {
    const octet_slot_info& own = info.slots[slot];
    text += std::string("slot ") + SlotName(slot) + ": ";
    const std::string damage = store.Damage(slot);
    text += damage.empty() ? RoleOf(info, slot) : damage;
    if (own.standing != OCTET_STANDING_EMPTY) {
      text += "; " + std::to_string(own.bytes) + " bytes, counter " +
              std::to_string(own.security_counter) + ", digest " + Hex(own.digest);
    }
    text += "\n";
  }
  text += "takes: security counter " + std::to_string(info.security_counter) + " and above; " +
          (store.board().empty() ? "any board" : "board " + store.board()) + "; " +
          (store.signed_only() ? "signed with key " + KeyIds(store) : "signed or not") + "\n";
  if (const std::string product = store.Product(); !product.empty()) {
    text += "product " + product + "\n";
  }
  text += "refused or rolled back: " + std::to_string(info.refusals);
  if (info.last_refusal != OCTET_SLOTS_OK) text += ", the last: " + LastRefusal(info);
  return text + "\n";
}

std::string StoreJson(const octet_slots_info& info, SlotStore& store) {
  using nlohmann::ordered_json;
  const auto name_of = [](octet_slot slot) {
    return slot <= OCTET_SLOT_B ? ordered_json(SlotName(slot)) : ordered_json(nullptr);
  };
  ordered_json json;
  json["store"] = store.path();
  json["active"] = name_of(info.active);
  json["pending"] = name_of(info.pending);
  json["attempts"] = info.attempts;
  json["tries"] = info.tries;
  json["security_counter"] = info.security_counter;
  json["board"] = store.board().empty() ? ordered_json(nullptr) : ordered_json(store.board());
  json["signed_only"] = store.signed_only();
  const std::string product = store.Product();
  json["product"] = product.empty() ? ordered_json(nullptr) : ordered_json(product);
  json["refusals"] = info.refusals;
  json["last_refusal"] =
      info.last_refusal == OCTET_SLOTS_OK ? ordered_json(nullptr) : ordered_json(LastRefusal(info));
  for (octet_slot slot = OCTET_SLOT_A; slot <= OCTET_SLOT_B; ++slot) {
    const octet_slot_info& own = info.slots[slot];
    json["slots"].push_back({{"slot", SlotName(slot)},
                             {"standing", StandingName(own.standing)},
                             {"bytes", own.bytes},
                             {"security_counter", own.security_counter},
                             {"digest", Hex(own.digest)}});
    if (const std::string damage = store.Damage(slot); !damage.empty()) {
      json["slots"].back()["standing"] = "damaged";
      json["slots"].back()["damage"] = damage;
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace octet::port
