// Makes a device a store, and finds data in slots without a record.
#include <cstdint>
#include <string>

#include "ports/linux/file.h"
#include "ports/linux/slot/known_formats.h"
#include "ports/linux/slot/slot_store.h"
#include "runtime/format/blob.h"

namespace octet::port {

std::string SlotStore::DamageOf(octet_slot slot) {
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  if (!storage_.is_folder() || info.has_record != 0) return "";
  const uint64_t bytes = storage_.FileBytes(slot);
  uint32_t detail = 0;
  const octet_slots_code code = octet_slots_verify(&slots_, slot, &detail);
  // The runtime reads at least a header, so a shorter file is empty for it.
  if (code == OCTET_SLOTS_EMPTY && bytes != 0 && bytes < sizeof(blob::Header)) {
    detail = OCTET_TRUNCATED;
  } else if (code != OCTET_SLOTS_BLOB) {
    return "";
  }
  return "damaged: " + std::to_string(bytes) +
         " bytes that are not a valid blob: " + octet_code_name(detail);
}

std::string SlotStore::Damage(octet_slot slot) {
  std::string damage;
  With(
      [&](octet_slot*, uint32_t*) {
        damage = DamageOf(slot);
        return octet_slots_code{OCTET_SLOTS_OK};
      },
      Lock::kWanted);
  return damage;
}

// What would be lost on a device. Empty: it has neither records nor models.
std::string SlotStore::WhatIsThere() {
  const octet_slots_code opened = Open();
  if (opened == OCTET_SLOTS_STORAGE) throw InputError(path() + ": " + storage_.error());
  if (opened == OCTET_SLOTS_VERSION) return octet_slots_code_name(opened);
  if (std::string format = KnownFormat(path()); !format.empty()) return format;
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  std::string models;
  for (octet_slot slot = OCTET_SLOT_A; slot <= OCTET_SLOT_B; ++slot) {
    const std::string name = std::string(models.empty() ? "" : ", ") + "slot " + SlotName(slot);
    if (info.slots[slot].standing != OCTET_STANDING_EMPTY) {
      models += name + " with a model of " + std::to_string(info.slots[slot].bytes) + " bytes";
      continue;
    }
    if (info.has_record != 0) continue;
    uint32_t detail = 0;
    const octet_slots_code code = octet_slots_verify(&slots_, slot, &detail);
    if (code == OCTET_SLOTS_EMPTY || detail == OCTET_NOT_A_BLOB) continue;
    models += name + " with a model: " + octet_slots_code_name(code);
  }
  if (info.has_record == 0) return models;
  return "a store" + (models.empty() ? " without a model" : ", " + models);
}

// A folder needs no preparation: only its product name is written.
SlotAnswer SlotStore::NameFolder(bool force, const std::string& product) {
  const StoreLock lock(storage_, options_.lock_patience_ns);
  if (!lock.held()) throw InputError(Locked());
  const std::string before = force ? "" : storage_.ReadProduct();
  if (!before.empty() && before != product) {
    throw InputError(path() + ": is a store of the product " + before +
                     "; to change that: create --force --product " + product);
  }
  storage_.WriteProduct(product);
  return {};
}

SlotAnswer SlotStore::Create(bool force, const std::string& product) {
  if (!product.empty()) RequireProductName(product, "--product");
  if (storage_.is_folder() && !product.empty()) return NameFolder(force, product);
  if (storage_.is_folder()) {
    throw InputError(
        path() +
        ": a folder needs no create, it is a store already; stage a model there, or give "
        "it a product: --product NAME");
  }
  const ExclusiveUse use(path());
  if (!use.other().empty()) {
    throw InputError(path() + ": is in use: " + use.other() +
                     "; nothing was written, and --force does not change that: release it (umount, "
                     "swapoff, losetup -d), or name the right device");
  }
  const StoreLock lock(storage_, options_.lock_patience_ns);
  if (!lock.held()) throw InputError(Locked());
  const std::string there = force ? "" : WhatIsThere();
  if (!there.empty()) {
    throw InputError(path() + ": holds " + there +
                     "; create --force makes it an empty store and deletes its content");
  }
  // Erases the marks of the old format too, so that other programs do not recognise it.
  if (!storage_.Wipe(kFormatBytes)) return Explained(OCTET_SLOTS_STORAGE, OCTET_SLOT_NONE, 0);
  for (octet_area area = OCTET_AREA_STATE_0; area <= OCTET_AREA_SLOT_B; ++area) {
    if (port_.erase(port_.context, area) != 0 || port_.sync(port_.context, area) != 0) {
      return Explained(OCTET_SLOTS_STORAGE, OCTET_SLOT_NONE, 0);
    }
  }
  // Before the first record, so that a store with records always has its name.
  if (!storage_.WriteProduct(product)) return Explained(OCTET_SLOTS_STORAGE, OCTET_SLOT_NONE, 0);
  octet_slots_code code = Open();
  // A staging without data writes the first record.
  if (code == OCTET_SLOTS_OK) code = octet_slots_stage_begin(&slots_, 0);
  return Explained(code, OCTET_SLOT_NONE, 0);
}

}  // namespace octet::port
