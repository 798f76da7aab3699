// Where the areas of a store lie, to the byte, and which files it takes.
#include "ports/linux/slot/storage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "tests/ports/linux/slot/models.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::SlotStorage;

constexpr uint32_t kAreas = 4;

class Storage : public StoreFolder {
 protected:
  std::string Device(uint64_t bytes) const {
    WriteText("device", "");
    EXPECT_EQ(truncate(Path("device").c_str(), static_cast<off_t>(bytes)), 0);
    return Path("device");
  }
  static std::string ErrorOf(const std::string& path) {
    try {
      SlotStorage storage(path);
    } catch (const port::InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Storage, ADeviceHasALeastSize) {
  const std::string error = ErrorOf(Device(1));
  const size_t at = error.find("at least ");
  ASSERT_NE(at, std::string::npos) << error;
  const uint64_t least = std::stoull(error.substr(at + 9));
  EXPECT_NE(ErrorOf(Device(least - 1)), "");
  EXPECT_EQ(ErrorOf(Device(least)), "");
  EXPECT_GT(SlotStorage(Device(least)).port().slot_bytes, 0u);
  EXPECT_NE(ErrorOf("/dev/zero"), "") << "neither folder, file nor block device";
  EXPECT_NE(ErrorOf(Path("none")), "");
}

// Both slots are as large as fits, in whole steps, and no area reaches into the next.
TEST_F(Storage, AreasOfADeviceDoNotOverlap) {
  for (const uint64_t bytes : {uint64_t{24} << 20, (uint64_t{25} << 20) + 4096 + 17}) {
    SlotStorage storage(Device(bytes));
    const octet_storage port = storage.port();
    const uint64_t step = 4096;
    EXPECT_EQ(port.slot_bytes % step, 0u);
    EXPECT_LE(2 * uint64_t{port.slot_bytes}, bytes);
    EXPECT_GT(2 * (uint64_t{port.slot_bytes} + (1 << 20)), bytes - (uint64_t{8} << 20));
    const uint8_t marks[kAreas] = {1, 2, 3, 4};
    for (octet_area area = 0; area < kAreas; ++area) {
      ASSERT_EQ(port.write(port.context, area, 0, &marks[area], 1), 0);
      const uint32_t end = area < OCTET_AREA_SLOT_A ? 4096 : port.slot_bytes;
      ASSERT_EQ(port.write(port.context, area, end - 1, &marks[area], 1), 0);
    }
    for (octet_area area = 0; area < kAreas; ++area) {
      uint8_t first = 0, last = 0;
      const uint32_t end = area < OCTET_AREA_SLOT_A ? 4096 : port.slot_bytes;
      EXPECT_EQ(port.read(port.context, area, 0, &first, 1), 0);
      EXPECT_EQ(port.read(port.context, area, end - 1, &last, 1), 0);
      EXPECT_EQ(first, marks[area]);
      EXPECT_EQ(last, marks[area]);
    }
    // Behind the last area the device ends; what lies there is no byte of it.
    uint8_t byte = 0;
    const uint64_t left = bytes - (uint64_t{8} << 20) - 2 * uint64_t{port.slot_bytes};
    EXPECT_LT(left, 2 * step + (1 << 20));
    EXPECT_EQ(fs::file_size(Path("device")), bytes);
    EXPECT_NE(port.read(port.context, OCTET_AREA_SLOT_B, UINT32_MAX - 1, &byte, 1), 0);
  }
}

TEST_F(Storage, AFolderHasAFileForEachArea) {
  SlotStorage storage(Path("store"));
  const octet_storage port = storage.port();
  const std::string text = "0123456789";
  for (octet_area area = 0; area < kAreas; ++area) {
    char read[12] = {};
    EXPECT_EQ(port.read(port.context, area, 0, read, 1), 1) << "there is none";
    ASSERT_EQ(port.erase(port.context, area), 0);
    EXPECT_EQ(port.write(port.context, area, 0, text.data(), 10), 0);
    EXPECT_EQ(port.sync(port.context, area), 0);
    EXPECT_EQ(port.read(port.context, area, 0, read, 10), 0);
    EXPECT_EQ(read, text);
    EXPECT_EQ(port.read(port.context, area, 4, read, 6), 0);
    EXPECT_EQ(std::string(read, 6), "456789");
    EXPECT_EQ(port.read(port.context, area, 4, read, 7), 1) << "one byte behind the end";
    EXPECT_EQ(ReadBlob(Path("store/") + port::kAreaFiles[area]).size(), 10u);
    ASSERT_EQ(port.erase(port.context, area), 0);
    EXPECT_EQ(port.read(port.context, area, 0, read, 1), 1) << "erased";
  }
  EXPECT_EQ(storage.FileOf(OCTET_SLOT_A), Path("store/slot-a.octet"));
  EXPECT_EQ(storage.FileOf(OCTET_SLOT_B), Path("store/slot-b.octet"));
}

TEST_F(Storage, WhatIsMappedIsWhole) {
  SlotStorage storage(Path("store"));
  const octet_storage port = storage.port();
  for (const uint32_t count : {1u, 63u, 64u, 65u, 4096u}) {
    const std::string text(count, 'x');
    WriteText("store/slot-b.octet", text);
    const void* mapped = port.map(port.context, OCTET_AREA_SLOT_B, count);
    ASSERT_NE(mapped, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(mapped) % 64, 0u);
    EXPECT_EQ(std::string(static_cast<const char*>(mapped), count), text);
    EXPECT_EQ(port.map(port.context, OCTET_AREA_SLOT_B, count + 1), nullptr) << "it ends before";
    EXPECT_NE(storage.error().find("read slot-b.octet"), std::string::npos) << storage.error();
  }
  EXPECT_EQ(port.map(port.context, OCTET_AREA_SLOT_A, 1), nullptr);
}

// Who looks at records alone sees no slot and writes nothing.
TEST_F(Storage, RecordsAlone) {
  SlotStorage storage(Path("store"));
  WriteText("store/state-1", "r");
  for (const char* name : {"slot-a.octet", "slot-b.octet"}) {
    WriteText(std::string("store/") + name, "s");
  }
  const octet_storage port = storage.records_port();
  char byte = 0;
  EXPECT_EQ(port.read(port.context, OCTET_AREA_STATE_1, 0, &byte, 1), 0);
  EXPECT_EQ(byte, 'r');
  for (const octet_area area : {OCTET_AREA_SLOT_A, OCTET_AREA_SLOT_B}) {
    EXPECT_EQ(port.read(port.context, area, 0, &byte, 1), 1);
    EXPECT_EQ(port.map(port.context, area, 1), nullptr);
  }
  for (octet_area area = 0; area < kAreas; ++area) {
    EXPECT_NE(port.erase(port.context, area), 0);
    EXPECT_NE(port.write(port.context, area, 0, &byte, 1), 0);
    EXPECT_NE(port.sync(port.context, area), 0);
  }
}

TEST_F(Storage, WhatIsForbiddenIsNotWritten) {
  for (const bool folder : {true, false}) {
    SlotStorage storage(folder ? Path("store") : Device(24 << 20));
    const octet_storage port = storage.port();
    storage.ForbidWrites(true);
    for (octet_area area = 0; area < kAreas; ++area) {
      EXPECT_NE(port.erase(port.context, area), 0);
      EXPECT_NE(port.write(port.context, area, 0, "x", 1), 0);
      EXPECT_NE(port.sync(port.context, area), 0);
    }
    EXPECT_FALSE(!folder && storage.Wipe(10));
    EXPECT_TRUE(!folder || fs::is_empty(Path("store")));
    storage.ForbidWrites(false);
    EXPECT_EQ(port.erase(port.context, OCTET_AREA_SLOT_A), 0);
    EXPECT_TRUE(folder || storage.Wipe(10));
  }
}

// A link leads out of the folder, a folder and a pipe are no files.
TEST_F(Storage, OnlyPlainFilesAreTaken) {
  SlotStorage storage(Path("store"));
  const octet_storage port = storage.port();
  WriteText("other", "other");
  const auto refused = [&](const char* what) {
    char byte = 0;
    EXPECT_LT(port.read(port.context, OCTET_AREA_SLOT_A, 0, &byte, 1), 0) << what;
    EXPECT_EQ(port.map(port.context, OCTET_AREA_SLOT_A, 1), nullptr) << what;
    EXPECT_NE(port.write(port.context, OCTET_AREA_SLOT_A, 0, "x", 1), 0) << what;
    EXPECT_NE(port.erase(port.context, OCTET_AREA_SLOT_A), 0) << what;
    EXPECT_EQ(storage.FileBytes(OCTET_SLOT_A), 0u) << what;
  };
  fs::create_symlink(Path("other"), Path("store/slot-a.octet"));
  refused("a link");
  EXPECT_EQ(ReadBlob(Path("other")).size(), 5u);
  fs::remove(Path("store/slot-a.octet"));
  ASSERT_EQ(mkfifo(Path("store/slot-a.octet").c_str(), 0600), 0);
  refused("a pipe");
  fs::remove(Path("store/slot-a.octet"));
  WriteText("store/slot-a.octet", "12345");
  EXPECT_EQ(storage.FileBytes(OCTET_SLOT_A), 5u);
  EXPECT_EQ(storage.FileBytes(OCTET_SLOT_B), 0u);
}

// Who reads the model before keeps it: a slot's file is another one, a record's stays.
TEST_F(Storage, ASlotIsReplacedARecordIsCut) {
  SlotStorage storage(Path("store"));
  const octet_storage port = storage.port();
  for (octet_area area = 0; area < kAreas; ++area) {
    const std::string path = Path("store/") + port::kAreaFiles[area];
    WriteText(std::string("store/") + port::kAreaFiles[area], "before");
    const int reader = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(port.erase(port.context, area), 0);
    struct stat before, now;
    ASSERT_EQ(fstat(reader, &before), 0);
    ASSERT_EQ(stat(path.c_str(), &now), 0);
    EXPECT_EQ(before.st_ino == now.st_ino, area < OCTET_AREA_SLOT_A) << area;
    EXPECT_EQ(before.st_size, area < OCTET_AREA_SLOT_A ? 0 : 6);
    EXPECT_EQ(now.st_size, 0);
    close(reader);
  }
}

// Files of a folder that belongs to a group belong to the group.
TEST_F(Storage, AGroupMayWriteWhatIsItsOwn) {
  SlotStorage storage(Path("store"));
  const octet_storage port = storage.port();
  const struct {
    mode_t folder, file;
  } cases[] = {{0755, 0644}, {02770, 0660}, {02775, 0664}, {0777, 0644}};
  for (const auto& c : cases) {
    ASSERT_EQ(chmod(Path("store").c_str(), c.folder), 0);
    for (const octet_area area : {octet_area{OCTET_AREA_STATE_0}, octet_area{OCTET_AREA_SLOT_A}}) {
      const std::string path = Path("store/") + port::kAreaFiles[area];
      fs::remove(path);
      ASSERT_EQ(port.erase(port.context, area), 0);
      struct stat info;
      ASSERT_EQ(stat(path.c_str(), &info), 0);
      EXPECT_EQ(info.st_mode & 07777, c.file) << std::oct << c.folder;
    }
  }
}

TEST_F(Storage, TextsHaveAMostLength) {
  SlotStorage storage(Path("store"));
  EXPECT_EQ(storage.ReadText("key.pub"), "") << "there is none";
  for (const size_t bytes : {size_t{1}, size_t{1024}}) {
    WriteText("store/key.pub", std::string(bytes, 'k'));
    EXPECT_EQ(storage.ReadText("key.pub").size(), bytes);
  }
  for (const size_t bytes : {size_t{0}, size_t{1025}, size_t{5000}}) {
    WriteText("store/key.pub", std::string(bytes, 'k'));
    EXPECT_THROW(storage.ReadText("key.pub"), port::InputError) << bytes;
  }
  fs::remove(Path("store/key.pub"));
  fs::create_symlink(Path("other"), Path("store/key.pub"));
  EXPECT_THROW(storage.ReadText("key.pub"), port::InputError);
  EXPECT_EQ(SlotStorage(Device(24 << 20)).ReadText("key.pub"), "");
}

TEST_F(Storage, ALockIsWaitedForAsLongAsWanted) {
  SlotStorage storage(Path("store")), other(Path("store"));
  ASSERT_TRUE(other.Lock(0));
  const uint64_t begun = port::NowNs();
  EXPECT_FALSE(storage.Lock(50'000'000));
  EXPECT_GE(port::NowNs() - begun, 50'000'000u);
  EXPECT_FALSE(storage.Lock(0));
  {
    const port::StoreLock none(storage, 0);
    EXPECT_FALSE(none.held());
    const octet_storage port = storage.port();
    EXPECT_NE(port.erase(port.context, OCTET_AREA_STATE_0), 0);
  }
  other.Unlock();
  {
    const port::StoreLock lock(storage, 0);
    EXPECT_TRUE(lock.held());
    EXPECT_FALSE(other.Lock(0));
  }
  EXPECT_TRUE(other.Lock(0));
}

TEST_F(Storage, WhatIsFreeIsTheFileSystems) {
  SlotStorage folder(Path("store"));
  EXPECT_GT(folder.FreeBytes(), 0u);
  EXPECT_LE(folder.FreeBytes(), fs::space(Path("store")).capacity);
  EXPECT_TRUE(folder.IsWritable());
  EXPECT_TRUE(SlotStorage(Device(24 << 20)).IsWritable());
}

}  // namespace
}  // namespace octet::test
