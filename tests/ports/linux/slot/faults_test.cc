// A store whose surroundings misbehave: uploads that stall, locks that others keep, keys that are
// taken back, devices that hold something else.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>

#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "ports/linux/slot/known_formats.h"
#include "tests/ports/linux/slot/models.h"

namespace octet::test {
namespace {

using port::SlotAnswer;
using port::SlotChoice;
using port::SlotStore;

constexpr uint64_t kMillisecond = 1'000'000;

class Faults : public StoreFolder {
 protected:
  std::string Store() const { return Path("store"); }
  static port::StoreOptions Impatient() {
    port::StoreOptions options;
    options.lock_patience_ns = 100 * kMillisecond;
    return options;
  }
};

// An upload over a network that stalls, at its first byte and behind its first megabyte.
TEST_F(Faults, AStalledUploadKeepsNobodyWaiting) {
  SlotStore store(Store(), {});
  const Blob first = MakeStored({.id = 1});
  Install(&store, first);
  const Blob large = MakeStored({.id = 2, .extra_bytes = 3 << 20});
  for (const size_t stalls_at : {size_t{0}, size_t{2} << 20}) {
    std::mutex mutex;
    std::condition_variable changed;
    bool stalled = false, goes_on = false;
    std::thread upload([&] {
      SlotStore other(Store(), {});
      size_t done = 0;
      const SlotAnswer staged = other.Stage([&](void* bytes, size_t count) {
        if (done >= stalls_at && !goes_on) {
          std::unique_lock lock(mutex);
          stalled = true;
          changed.notify_all();
          changed.wait(lock, [&] { return goes_on; });
        }
        const size_t step = std::min({count, large.size() - done, size_t{1} << 20});
        std::memcpy(bytes, large.data() + done, step);
        done += step;
        return step;
      });
      EXPECT_TRUE(staged) << staged.why;
    });
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return stalled; });
    }
    SlotStore camera(Store(), Impatient());
    SlotChoice model;
    const uint64_t begun = port::NowNs();
    const SlotAnswer booted = camera.Boot(&model);
    EXPECT_TRUE(booted && booted.note.empty()) << booted.why << booted.note;
    EXPECT_LT(port::NowNs() - begun, 2000 * kMillisecond);
    EXPECT_EQ(camera.Confirm().code, OCTET_SLOTS_NOT_PENDING);
    {
      const std::lock_guard lock(mutex);
      goes_on = true;
    }
    changed.notify_all();
    upload.join();
  }
}

// Whoever can read the folder can lock it, and may hang.
TEST_F(Faults, ALockThatIsKeptHasADeadline) {
  SlotStore store(Store(), Impatient());
  const Blob first = MakeStored({.id = 1}), second = MakeStored({.id = 2});
  Install(&store, first);
  ASSERT_TRUE(Stage(&store, second));
  ASSERT_TRUE(store.Activate());
  const int other = open(Store().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const SlotAnswer refused = store.RollBack(OCTET_SLOTS_ASKED);
  EXPECT_EQ(refused.code, OCTET_SLOTS_STORAGE);
  EXPECT_NE(refused.why.find("another program has kept it locked"), std::string::npos);
  // A camera boots all the same: what needs no record.
  SlotChoice model;
  const SlotAnswer booted = store.Boot(&model);
  ASSERT_TRUE(booted) << booted.why;
  EXPECT_TRUE(ReadBlob(model.path) == first);
  EXPECT_TRUE(model.unrecorded);
  EXPECT_NE(booted.note.find("another program has locked the store"), std::string::npos)
      << booted.note;
  EXPECT_EQ(store.Info().attempts, 0u) << "and whoever looks may look";
  flock(other, LOCK_UN);
  ASSERT_TRUE(store.Boot(&model));
  EXPECT_TRUE(model.on_trial && !model.unrecorded);
  close(other);
}

TEST_F(Faults, ABootThatSaysNothingIsTakenBack) {
  SlotStore store(Store(), {});
  Install(&store, MakeStored({.id = 1}));
  ASSERT_TRUE(Stage(&store, MakeStored({.id = 2})));
  ASSERT_TRUE(store.Activate());
  SlotChoice model;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store.Boot(&model));
    EXPECT_TRUE(model.on_trial) << i;
    EXPECT_EQ(model.attempt, 1u) << i;
    ASSERT_TRUE(store.TakeBack());
  }
  ASSERT_TRUE(store.Boot(&model));
  EXPECT_TRUE(store.Confirm());
  EXPECT_TRUE(store.TakeBack()) << "of none it is nothing";
  EXPECT_EQ(store.Info().active, model.slot);
}

// Who maps the file that a slot had keeps it: staging makes another one.
TEST_F(Faults, AMappedModelSurvivesAStaging) {
  SlotStore store(Store(), {});
  const Blob first = MakeStored({.id = 1}), second = MakeStored({.id = 2});
  Install(&store, first);
  Install(&store, second);
  const port::MappedFile runs(Store() + "/slot-a.octet");
  ASSERT_TRUE(Stage(&store, MakeStored({.id = 3, .vectors = Vectors::kNone})));
  EXPECT_EQ(Blob(runs.data(), runs.data() + runs.bytes()), first);
}

TEST_F(Faults, AKeyThatIsTakenBackHoldsAtOnce) {
  if (!port::KnowsSignatures()) GTEST_SKIP() << "this build has no libsodium";
  WriteText("store/key.pub", port::PublicKeyText(PublicKeyOf(1)));
  WriteText("other.pub", port::PublicKeyText(PublicKeyOf(2)));
  port::StoreOptions options;
  options.keys = {Path("other.pub")};
  SlotStore store(Store(), options);
  Install(&store, MakeStored({.id = 1, .key = 1}));
  SlotChoice running;
  ASSERT_TRUE(store.Boot(&running));
  EXPECT_FALSE(store.ReadTrust());
  EXPECT_TRUE(store.Trusts(running));
  std::filesystem::remove(Store() + "/key.pub");
  EXPECT_TRUE(store.ReadTrust());
  EXPECT_FALSE(store.Trusts(running));
  EXPECT_EQ(Stage(&store, MakeStored({.id = 2, .key = 1})).code, OCTET_SLOTS_SIGNATURE);
  // The last key's file goes: still none but signed models, and there is no key for any.
  std::filesystem::remove(Path("other.pub"));
  EXPECT_EQ(Stage(&store, MakeStored({.id = 2, .key = 2})).code, OCTET_SLOTS_SIGNATURE);
  EXPECT_EQ(Stage(&store, MakeStored({.id = 2})).code, OCTET_SLOTS_UNSIGNED);
  // One that is being written is no reason to forget the others.
  WriteText("other.pub", port::PublicKeyText(PublicKeyOf(2)));
  EXPECT_TRUE(store.ReadTrust());
  WriteText("other.pub", "octet-ed25519-");
  EXPECT_THROW(store.ReadTrust(), port::InputError);
  EXPECT_EQ(store.keys().size(), 1u);
}

// Who may flash writes into the store's folder, key.pub among it.
TEST_F(Faults, ARequiredSignatureIsNotTheFoldersToGrant) {
  if (!port::KnowsSignatures()) GTEST_SKIP() << "this build has no libsodium";
  port::StoreOptions options;
  options.require_signature = true;
  EXPECT_THROW(SlotStore(Store(), options), port::InputError) << "by no key at all";
  WriteText("unit.pub", port::PublicKeyText(PublicKeyOf(1)));
  WriteText("store/key.pub", port::PublicKeyText(PublicKeyOf(2)));
  options.keys = {Path("unit.pub")};
  SlotStore store(Store(), options);
  EXPECT_EQ(Stage(&store, MakeStored({.id = 1})).code, OCTET_SLOTS_UNSIGNED);
  EXPECT_EQ(Stage(&store, MakeStored({.id = 1, .key = 2})).code, OCTET_SLOTS_SIGNATURE);
  EXPECT_TRUE(Stage(&store, MakeStored({.id = 1, .key = 1})));
}

// Nor are the records: without them an older model, well signed, would be a store's first.
TEST_F(Faults, ALeastCounterIsNotTheFoldersToLower) {
  port::StoreOptions options;
  options.least_counter = 2;
  WriteBlob("store/slot-a.octet", MakeStored({.id = 1, .counter = 1}));
  SlotStore store(Store(), options);
  SlotChoice model;
  SlotAnswer refused = store.Boot(&model);
  EXPECT_EQ(refused.code, OCTET_SLOTS_COUNTER) << "a model that lies there without records";
  EXPECT_NE(refused.why.find("--least-security-counter"), std::string::npos) << refused.why;
  EXPECT_EQ(Stage(&store, MakeStored({.id = 1, .counter = 1})).code, OCTET_SLOTS_COUNTER);
  // One that another program has made the active one is left for the one before, as one without a
  // signature is; without such a one nothing runs.
  SlotStore lax(Store(), {});
  Install(&lax, MakeStored({.id = 1, .counter = 1}));
  EXPECT_EQ(store.Boot(&model).code, OCTET_SLOTS_COUNTER);
  ASSERT_TRUE(Stage(&lax, MakeStored({.id = 3, .counter = 1})));
  ASSERT_TRUE(lax.Activate());
  EXPECT_EQ(store.Boot(&model).code, OCTET_SLOTS_COUNTER) << "on trial";
  EXPECT_EQ(store.Info().pending, OCTET_SLOT_NONE);
  Install(&store, MakeStored({.id = 2, .counter = 2}));
  ASSERT_TRUE(store.Boot(&model));
  EXPECT_EQ(model.security_counter, 2u);
  EXPECT_FALSE(store.RollBack(OCTET_SLOTS_ASKED)) << "the one before has a lower counter";
}

// What a program has seen confirmed holds for as long as it runs, also where the records go.
TEST_F(Faults, RecordsThatGoDoNotLowerWhatAProgramHasSeen) {
  SlotStore store(Store(), {});
  Install(&store, MakeStored({.id = 1, .counter = 7}));
  SlotChoice running;
  ASSERT_TRUE(store.Boot(&running));
  store.LearnConfirmed(running);
  for (const char* name : port::kAreaFiles) std::filesystem::remove(Store() + "/" + name);
  SlotStore other(Store(), {});
  ASSERT_TRUE(Stage(&other, MakeStored({.id = 2, .counter = 6})));
  ASSERT_TRUE(other.Activate());
  SlotChoice model;
  EXPECT_EQ(store.Boot(&model).code, OCTET_SLOTS_COUNTER);
  ASSERT_TRUE(Stage(&other, MakeStored({.id = 3, .counter = 7})));
  ASSERT_TRUE(other.Activate());
  EXPECT_TRUE(store.Boot(&model));
}

// A flasher and the service are two users of one group.
TEST_F(Faults, FilesBelongToTheFoldersGroup) {
  ASSERT_EQ(chmod(Store().c_str(), 02770), 0);
  const mode_t before = umask(077);
  SlotStore store(Store(), {});
  Install(&store, MakeStored({.id = 1}));
  Install(&store, MakeStored({.id = 2}));
  umask(before);
  for (const char* name : port::kAreaFiles) {
    struct stat info;
    ASSERT_EQ(stat((Store() + "/" + name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777u, 0660u) << name;
  }
}

class Foreign : public StoreFolder {
 protected:
  std::string Device(size_t at, const std::string& mark) const {
    std::string bytes(12 << 20, '\0');
    bytes.replace(at, mark.size(), mark);
    WriteText("device", bytes);
    return Path("device");
  }
};

TEST_F(Foreign, FileSystemsAreNamedAndKept) {
  struct Case {
    size_t at;
    std::string mark, name;
  };
  std::string table(66, '\0');
  table[4] = '\x0C';
  table[12] = 1;
  table[64] = '\x55';
  table[65] = '\xAA';
  for (const Case& c :
       {Case{0x438, "\x53\xEF", "an ext2, ext3 or ext4 file system"},
        Case{0, "XFSB", "an XFS file system"}, Case{0x10040, "_BHRfS_M", "a Btrfs file system"},
        Case{0x52, "FAT32   ", "a FAT file system"}, Case{0x36, "FAT16   ", "a FAT file system"},
        Case{3, "EXFAT   ", "an exFAT file system"}, Case{4086, "SWAPSPACE2", "a Linux swap area"},
        Case{0, "LUKS\xBA\xBE", "a LUKS volume"}, Case{512, "EFI PART", "a partition table (GPT)"},
        Case{446, table, "a partition table (MBR)"}}) {
    const std::string device = Device(c.at, c.mark);
    EXPECT_EQ(port::KnownFormat(device), c.name);
    SlotStore store(device, {});
    try {
      store.Create();
      ADD_FAILURE() << c.name;
    } catch (const port::InputError& error) {
      EXPECT_EQ(
          std::string(error.what()).rfind(device + ": holds " + c.name + "; create --force", 0), 0u)
          << error.what();
    }
    EXPECT_EQ(port::KnownFormat(device), c.name) << "untouched";
    ASSERT_TRUE(store.Create(true));
    EXPECT_EQ(port::KnownFormat(device), "") << "nobody takes it for that any more";
    SlotChoice model;
    EXPECT_EQ(store.Boot(&model).code, OCTET_SLOTS_EMPTY);
  }
  EXPECT_EQ(port::KnownFormat(Device(0, "")), "");
}

// A file that ends with the mark has it; one byte less, or another byte, is none.
TEST_F(Foreign, MarksAtTheEndOfAFile) {
  const struct {
    size_t at;
    std::string mark;
    const char* name;
  } kMarks[] = {
      {0x438, "\x53\xEF", "an ext2, ext3 or ext4 file system"},
      {0x10040, "_BHRfS_M", "a Btrfs file system"},
      {0, "hsqs", "a SquashFS file system"},
      {0x36, "FAT1", "a FAT file system"},
      {3, "NTFS    ", "an NTFS file system"},
      {0x8001, "CD001", "an ISO 9660 file system"},
      {65526, "SWAPSPACE2", "a Linux swap area"},
      {512 + 24, "LVM2 001", "an LVM volume"},
      {4096, "EFI PART", "a partition table (GPT)"},
  };
  const std::string path = Path("marked");
  const auto write = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  };
  for (const auto& m : kMarks) {
    const std::string whole = std::string(m.at, 0) + m.mark;
    write(whole);
    EXPECT_EQ(port::KnownFormat(path), m.name);
    write(whole + std::string(70000, 0));
    EXPECT_EQ(port::KnownFormat(path), m.name);
    write(whole.substr(0, whole.size() - 1));
    EXPECT_EQ(port::KnownFormat(path), "") << m.name;
    std::string changed = whole;
    changed.back() = static_cast<char>(changed.back() + 1);
    write(changed);
    EXPECT_EQ(port::KnownFormat(path), "") << m.name;
  }
  // One partition: a kind, a length, and the table's end mark.
  std::string table(512, 0);
  table[510] = 0x55, table[511] = static_cast<char>(0xAA);
  write(table);
  EXPECT_EQ(port::KnownFormat(path), "") << "no partition";
  for (const size_t entry : {446u, 462u, 478u, 494u}) {
    std::string one = table;
    one[entry + 4] = 0x0C;
    write(one);
    EXPECT_EQ(port::KnownFormat(path), "") << "no length";
    for (size_t byte = 12; byte < 16; ++byte) {
      std::string with = one;
      with[entry + byte] = 1;
      write(with);
      EXPECT_EQ(port::KnownFormat(path), "a partition table (MBR)");
      write(with.substr(0, 511));
      EXPECT_EQ(port::KnownFormat(path), "");
      with[entry] = static_cast<char>(0x80);
      write(with);
      EXPECT_EQ(port::KnownFormat(path), "a partition table (MBR)");
      with[entry] = 0x10;
      write(with);
      EXPECT_EQ(port::KnownFormat(path), "") << "no flag";
    }
  }
}

}  // namespace
}  // namespace octet::test
