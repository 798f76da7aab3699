// Where the slots of a store lie on Linux: files of a folder, or regions of a block device or plain
// file. What was written is synced, and read back from the device, not from the page cache.
#ifndef OCTET_PORTS_LINUX_SLOT_STORAGE_H_
#define OCTET_PORTS_LINUX_SLOT_STORAGE_H_

#include <sys/types.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "octet/slots.h"

namespace octet::port {

// Of a folder.
constexpr const char* kAreaFiles[] = {"state-0", "state-1", "slot-a.octet", "slot-b.octet"};

class SlotStorage {
 public:
  // Opens the folder, device or file, which has to exist. Throws InputError.
  explicit SlotStorage(const std::string& path);
  ~SlotStorage();
  SlotStorage(const SlotStorage&) = delete;
  SlotStorage& operator=(const SlotStorage&) = delete;

  octet_storage port();
  // Of the records alone: slots read as if nothing were there, and nothing is written.
  octet_storage records_port();
  const std::string& path() const { return path_; }
  bool is_folder() const { return is_folder_; }
  // Of a folder: the blob's file.
  std::string FileOf(octet_slot slot) const;
  uint64_t FileBytes(octet_slot slot) const;  // 0: there is none, or it is not a plain file
  // A small text file of the folder; empty: there is none. Throws InputError where it cannot be
  // read, is empty or longer than such files are.
  std::string ReadText(const char* name) const;
  // Whose models are taken; empty: anybody's. Throws InputError where that cannot be read, or is no
  // name.
  std::string ReadProduct() const;
  // Of a folder whole or not at all; of a device before its first record. name: "" or one that
  // RequireProductName takes. False (error()), or throws InputError, where that fails.
  bool WriteProduct(const std::string& name);
  // What the last callback that failed met, as "write slot-b.octet: No space left on device".
  const std::string& error() const { return error_; }

  // Held until Unlock: one writer at a time, of all processes. False where another program has it
  // for all of that time. Throws InputError where nothing can be locked.
  bool Lock(uint64_t patience_ns);
  void Unlock();
  // Of a device: zeros over its first bytes. False where that fails (error()).
  bool Wipe(size_t count);
  // Each erase, write and sync fails from now on: another program may be at it.
  void ForbidWrites(bool forbidden) { writes_forbidden_ = forbidden; }
  // Whether the store takes records now, as far as can be told without writing one.
  bool IsWritable() const;
  // Left to this user where the store lies; 0 where that cannot be told.
  uint64_t FreeBytes() const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  // An area as a file: its own, or the device at an offset.
  class Area;

  int Fail(const char* what, octet_area area);
  int Read(octet_area area, uint32_t offset, void* bytes, uint32_t count);
  int Erase(octet_area area);
  int Write(octet_area area, uint32_t offset, const void* bytes, uint32_t count);
  int Sync(octet_area area);
  const void* Map(octet_area area, uint32_t count);
  off_t BeginOf(octet_area area) const;
  int Create(octet_area area);
  int Replace(octet_area area);
  bool MayWrite();

  std::string path_, error_;
  bool is_folder_ = false, is_read_only_ = false, writes_forbidden_ = false;
  int descriptor_ = -1;
  uint32_t slot_bytes_ = 0;
  std::unique_ptr<void, Free> mapped_;
};

// Throws InputError for anything but 1 to 63 of A-Z a-z 0-9 . _ - and names `where` it stands.
void RequireProductName(const std::string& name, const std::string& where);

// The store's lock while it lives. Where it is not held, nothing is written.
class StoreLock {
 public:
  StoreLock(SlotStorage& storage, uint64_t patience_ns)
      : storage_(storage), held_(storage.Lock(patience_ns)) {
    storage_.ForbidWrites(!held_);
  }
  ~StoreLock() {
    storage_.ForbidWrites(false);
    storage_.Unlock();
  }
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  bool held() const { return held_; }

 private:
  SlotStorage& storage_;
  const bool held_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_STORAGE_H_
