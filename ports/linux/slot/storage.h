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
  const std::string& path() const { return path_; }
  bool is_folder() const { return is_folder_; }
  // Of a folder: the blob's file.
  std::string FileOf(octet_slot slot) const;
  uint64_t FileBytes(octet_slot slot) const;  // 0: there is none, or it is no plain file
  // A small text file of the folder; empty: there is none. Throws InputError where it cannot be
  // read, is empty or longer than such files are.
  std::string ReadText(const char* name) const;
  // What the last callback that failed met, as "write slot-b.octet: No space left on device".
  const std::string& error() const { return error_; }

  // Held until Unlock: one writer at a time, of all processes. Throws InputError.
  void Lock();
  void Unlock();

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

  std::string path_, error_;
  bool is_folder_ = false;
  int descriptor_ = -1;
  uint32_t slot_bytes_ = 0;
  std::unique_ptr<void, Free> mapped_;
};

// The store's lock while it lives.
class StoreLock {
 public:
  explicit StoreLock(SlotStorage& storage) : storage_(storage) { storage_.Lock(); }
  ~StoreLock() { storage_.Unlock(); }
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  SlotStorage& storage_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_STORAGE_H_
