// Every call that store, records, lines and the file writer make fails once, each in its turn, at
// each step of a model's life: a valid model boots afterwards, what was said to be done is done,
// and the step can be done again.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "ports/linux/camera/program/drift_record.h"
#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/line_writer.h"
#include "ports/linux/camera/program/slot_keeper.h"
#include "ports/linux/file.h"
#include "ports/linux/output/output_file.h"
#include "ports/linux/slot/known_formats.h"
#include "runtime/drift/record.h"
#include "tests/ports/linux/io/io_calls.h"
#include "tests/ports/linux/slot/models.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::SlotAnswer;
using port::SlotModel;
using port::SlotStore;

size_t OpenFiles() {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) count += !entry.path().empty();
  return count;
}

class IoMatrix : public StoreFolder {
 protected:
  // The step by itself, once with each fault at each of its calls. After: what has to hold.
  struct Ended {
    bool done;  // the step said so
    Fault fault;
  };
  void Each(const std::string& name, const std::function<void()>& prepare,
            const std::function<bool()>& step, const std::function<void(Ended)>& after) {
    uint64_t runs = 0, calls = 0;
    for (const bool stays : {false, true}) {
      for (const Fault fault : kAllFaults) {
        if (stays && IsHarmless(fault)) continue;
        for (uint64_t number = 0;; ++number) {
          prepare();
          const size_t files = OpenFiles();
          bool done = false, fired = false;
          std::string where;
          {
            const FailingCall failing(number, fault, stays);
            try {
              done = step();
            } catch (const port::InputError&) {
            }
            fired = failing.fired();
            where = failing.where();
            calls = std::max(calls, failing.calls());
          }
          SCOPED_TRACE(name + ": " + FaultName(fault) + " at call " + std::to_string(number) +
                       " (" + where + (stays ? "), and from then on" : ")"));
          EXPECT_EQ(OpenFiles(), files) << "a descriptor is left open";
          if (!fired || IsHarmless(fault)) {
            EXPECT_TRUE(done);
          }
          after({done, fault});
          if (HasFailure()) return;
          ++runs;
          if (!fired) break;
        }
      }
    }
    std::printf("[          ] %s: %llu calls, %llu runs\n", name.c_str(),
                static_cast<unsigned long long>(calls), static_cast<unsigned long long>(runs));
  }

  std::string Store() const { return Path("store"); }
  // The store as it was kept.
  void Keep() const {
    fs::remove_all(Path("kept"));
    fs::copy(Store(), Path("kept"));
  }
  void Restore() const {
    fs::remove_all(Store());
    fs::copy(Path("kept"), Store());
  }
  // Boots one of the two.
  bool Boots(SlotModel* model = nullptr) const {
    SlotStore store(Store(), {});
    SlotModel own;
    if (model == nullptr) model = &own;
    const SlotAnswer answer = store.Boot(model);
    EXPECT_TRUE(answer) << answer.why;
    if (!answer) return false;
    const Blob blob = ReadBlob(model->path);
    EXPECT_TRUE(blob == first_ || blob == second_);
    return blob == second_;
  }
  octet_slots_info Info() const { return SlotStore(Store(), {}).Info(); }

  const Blob first_ = MakeStored({.id = 1}), second_ = MakeStored({.id = 2});
};

TEST_F(IoMatrix, StageAndActivate) {
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    Keep();
  }
  const auto stage = [&] {
    SlotStore store(Store(), {});
    return static_cast<bool>(Stage(&store, second_));
  };
  Each(
      "stage", [&] { Restore(); }, stage,
      [&](Ended ended) {
        EXPECT_FALSE(Boots()) << "the old one runs";
        const octet_slots_info info = Info();
        if (ended.done) {
          EXPECT_EQ(info.slots[1].standing, OCTET_STANDING_STAGED);
        }
        EXPECT_EQ(info.pending, OCTET_SLOT_NONE);
        EXPECT_TRUE(stage()) << "and it can be done again";
      });
  Restore();
  ASSERT_TRUE(stage());
  Keep();
  const auto activate = [&] {
    SlotStore store(Store(), {});
    return static_cast<bool>(store.Activate());
  };
  Each(
      "activate", [&] { Restore(); }, activate,
      [&](Ended ended) {
        if (ended.done) {
          EXPECT_EQ(Info().pending, OCTET_SLOT_B);
        }
        if (Info().pending == OCTET_SLOT_NONE) {
          EXPECT_TRUE(activate());
        }
        EXPECT_TRUE(Boots());
      });
}

// The name is the old one or the new one, and a model that does not have it never comes in.
TEST_F(IoMatrix, AProductOfAFolder) {
  const Blob other = MakeStored({.id = 2, .product = "till"}),
             own = MakeStored({.id = 2, .product = "door-cam"});
  {
    SlotStore store(Store(), {});
    Install(&store, MakeStored({.id = 1, .product = "door-cam"}));
    ASSERT_TRUE(store.Create(false, "door-cam"));
    Keep();
  }
  const auto name = [&] { return static_cast<bool>(SlotStore(Store(), {}).Create(true, "till")); };
  Each(
      "name a folder", [&] { Restore(); }, name,
      [&](Ended ended) {
        const std::string now = SlotStore(Store(), {}).Product();
        EXPECT_TRUE(now == "till" || (now == "door-cam" && !ended.done)) << now;
        EXPECT_TRUE(name());
        EXPECT_EQ(SlotStore(Store(), {}).Product(), "till");
      });
  for (const Blob* blob : {&own, &other}) {
    const auto stage = [&] {
      SlotStore store(Store(), {});
      return static_cast<bool>(Stage(&store, *blob));
    };
    // What refuses it is done with its work.
    const auto step = [&] {
      SlotStore store(Store(), {});
      const SlotAnswer answer = Stage(&store, *blob);
      return blob == &own ? static_cast<bool>(answer) : answer.code == OCTET_SLOTS_PRODUCT;
    };
    Each(
        blob == &own ? "stage of the product" : "stage of another product", [&] { Restore(); },
        step,
        [&](Ended) {
          EXPECT_EQ(stage(), blob == &own);
          EXPECT_EQ(Info().slots[1].standing,
                    blob == &own ? OCTET_STANDING_STAGED : OCTET_STANDING_EMPTY);
        });
  }
}

// A device is no store, or one with its name.
TEST_F(IoMatrix, CreateADevice) {
  const std::string device = Path("device");
  const auto create = [&] {
    return static_cast<bool>(SlotStore(device, {}).Create(true, "door-cam"));
  };
  Each(
      "create a device",
      [&] {
        fs::remove(device);
        WriteText("device", "");
        fs::resize_file(device, 9 << 20);
      },
      create,
      [&](Ended ended) {
        octet_slots_info info{};
        const bool stands = SlotStore(device, {}).Peek(&info);
        EXPECT_TRUE(stands || !ended.done);
        if (stands) {
          EXPECT_EQ(SlotStore(device, {}).Product(), "door-cam");
        }
        EXPECT_TRUE(create());
        SlotStore store(device, {});
        EXPECT_EQ(Stage(&store, second_).code, OCTET_SLOTS_PRODUCT);
      });
}

TEST_F(IoMatrix, TrialConfirmRollBack) {
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    ASSERT_TRUE(Stage(&store, second_));
    ASSERT_TRUE(store.Activate());
    Keep();
  }
  SlotModel model;
  Each(
      "boot of a trial", [&] { Restore(); },
      [&] {
        SlotStore store(Store(), {});
        return static_cast<bool>(store.Boot(&model));
      },
      [&](Ended ended) {
        if (IsOfWrites(ended.fault)) {
          EXPECT_TRUE(ended.done) << "a model runs, with or without a record";
        }
        if (ended.done) {
          EXPECT_TRUE(ReadBlob(model.path) == first_ || model.on_trial);
        }
        EXPECT_TRUE(Boots()) << "the trial goes on";
        EXPECT_LE(Info().attempts, 3u);
      });
  Restore();
  ASSERT_TRUE(Boots(&model));
  Keep();
  const auto confirm = [&] {
    port::SlotKeeper keeper(Store(), {});
    return keeper.Confirm(model).done;
  };
  Each(
      "confirm", [&] { Restore(); }, confirm,
      [&](Ended ended) {
        if (ended.done) {
          EXPECT_EQ(Info().active, OCTET_SLOT_B) << "confirmed, and not written";
        }
        EXPECT_TRUE(confirm()) << "trying again";
        EXPECT_EQ(Info().active, OCTET_SLOT_B);
        EXPECT_TRUE(Boots());
      });
  const auto roll_back = [&] {
    port::SlotKeeper keeper(Store(), {});
    return keeper.RollBack(model, OCTET_SLOTS_FRAMES).done;
  };
  Each(
      "roll back", [&] { Restore(); }, roll_back,
      [&](Ended ended) {
        if (ended.done) {
          EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
        }
        EXPECT_TRUE(roll_back()) << "trying again";
        EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
        EXPECT_FALSE(Boots());
      });
  const auto take_back = [&] {
    SlotStore store(Store(), {});
    return static_cast<bool>(store.TakeBack());
  };
  Each(
      "take back", [&] { Restore(); }, take_back,
      [&](Ended ended) {
        EXPECT_EQ(Info().pending, OCTET_SLOT_B);
        if (ended.done) {
          EXPECT_EQ(Info().attempts, 0u);
        }
        EXPECT_TRUE(Boots());
      });
}

// The active model has decayed: the one before it runs, on a card that takes nothing as well.
TEST_F(IoMatrix, FallBack) {
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    Install(&store, second_);
    Blob torn = second_;
    torn.back() ^= 1;
    WriteBlob("store/slot-b.octet", torn);
    Keep();
  }
  SlotModel model;
  Each(
      "fall back", [&] { Restore(); },
      [&] {
        SlotStore store(Store(), {});
        return static_cast<bool>(store.Boot(&model));
      },
      [&](Ended ended) {
        if (IsOfWrites(ended.fault)) {
          EXPECT_TRUE(ended.done) << "a model runs, with or without a record";
        }
        if (ended.done) {
          EXPECT_TRUE(ReadBlob(model.path) == first_);
        }
        EXPECT_FALSE(Boots());
        EXPECT_EQ(Info().active, OCTET_SLOT_A) << "written down once it can be";
      });
}

TEST_F(IoMatrix, NoRecord) {
  WriteBlob("store/slot-a.octet", first_);
  Keep();
  Each(
      "boot without a record", [&] { Restore(); },
      [&] {
        SlotStore store(Store(), {});
        SlotModel model;
        return static_cast<bool>(store.Boot(&model));
      },
      [&](Ended ended) {
        if (IsOfWrites(ended.fault)) {
          EXPECT_TRUE(ended.done) << "a model runs, with or without a record";
        }
        EXPECT_FALSE(Boots());
        octet_slots_info info{};
        EXPECT_TRUE(SlotStore(Store(), {}).Peek(&info));
      });
}

// Who looks without the lock, as the camera does each second, meets a record that is cut because it
// is written anew: the other one counts, and nothing is wrong with the storage.
TEST_F(IoMatrix, ARecordThatIsWrittenMeanwhile) {
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    ASSERT_TRUE(Stage(&store, second_));
    Keep();
  }
  for (const int number : {0, 1}) {
    Restore();
    SlotStore store(Store(), {});
    octet_slots_info info{};
    ShrinkAtRead(number);
    EXPECT_TRUE(store.Peek(&info)) << number;
    EXPECT_TRUE(store.is_readable());
    EXPECT_EQ(info.active, OCTET_SLOT_A);
    EXPECT_EQ(fs::file_size(Path("store/state-" + std::to_string(number))), 0u) << "it was cut";
  }
}

// A card that is read-only: what runs is not read again each second, and the trial begins when the
// card takes records again.
TEST_F(IoMatrix, AReadOnlyStoreIsLeftAlone) {
  constexpr uint64_t kSecond = 1'000'000'000;
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    ASSERT_TRUE(Stage(&store, second_));
    ASSERT_TRUE(store.Activate());
  }
  port::SlotKeeper keeper(Store(), {});
  EXPECT_TRUE(keeper.HasTrial());
  port::StoreAnswer running;
  uint64_t now = kSecond, boots = 0;
  {
    const FailingCall read_only(0, Fault::kReadOnly, true);
    running = keeper.Boot();
    EXPECT_TRUE(ReadBlob(running.model.path) == first_);
    EXPECT_TRUE(running.model.unrecorded);
    EXPECT_NE(running.news.find("the trial of slot B waits, because it cannot be counted"),
              std::string::npos)
        << running.news;
    const uint64_t of_a_boot = read_only.calls();
    for (int second = 0; second < 300; ++second, now += kSecond) {
      const uint64_t before = read_only.calls();
      const port::StoreAnswer answer = keeper.Look(running.model, now);
      EXPECT_FALSE(answer.another);
      EXPECT_EQ(answer.news, "") << "said once";
      boots += read_only.calls() - before >= of_a_boot;
    }
  }
  EXPECT_LE(boots, 10u) << "in five minutes: after 1, 2, 4 and up to 64 seconds";
  now += 100 * kSecond;
  const port::StoreAnswer answer = keeper.Look(running.model, now);
  EXPECT_TRUE(answer.another && answer.model.on_trial && !answer.model.unrecorded) << answer.news;
  EXPECT_EQ(Info().attempts, 1u);
}

// Records of drift, settings, keys: the old bytes or the new ones, and nothing beside them.
TEST_F(IoMatrix, Files) {
  const std::string path = Path("store/record");
  const auto text = [&](const std::string& of) {
    std::ifstream file(of, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = "before", now(100000, 'n');
  for (const port::Kept kept : {port::Kept::kDurable, port::Kept::kPlain}) {
    const auto write = [&] {
      port::OutputFile file(path, kept);
      file.Write(now.data(), 10);
      file.Write(now.data() + 10, now.size() - 10);
      file.Commit();
      return true;
    };
    Each(
        kept == port::Kept::kDurable ? "durable file" : "plain file",
        [&] {
          fs::remove_all(Store());
          fs::create_directory(Store());
          WriteText("store/record", before);
        },
        write,
        [&](Ended ended) {
          const std::string found = text(path);
          EXPECT_TRUE(found == now || (found == before && !ended.done));
          // What cannot be removed either lies about, under a name of its own.
          EXPECT_TRUE(write());
          EXPECT_EQ(text(path), now);
        });
  }
  const std::string key = Path("store/key");
  const auto make = [&] { return port::WriteNewFile(key, "secret", true); };
  Each(
      "new file",
      [&] {
        fs::remove_all(Store());
        fs::create_directory(Store());
      },
      make,
      [&](Ended ended) {
        if (ended.done) {
          EXPECT_EQ(text(key), "secret");
        } else if (fs::exists(key)) {
          fs::remove(key);  // not even that could be removed
        }
      });
}

// What drift has learnt: the record before or the new one, and never another program's file.
TEST_F(IoMatrix, DriftRecord) {
  const std::string path = Path("store/drift");
  octet_drift_record before{}, now{};
  std::copy(std::begin(drift::kRecordMagic), std::end(drift::kRecordMagic), before.bytes);
  now = before;
  now.bytes[100] = 1;
  const auto is = [](const octet_drift_record& a, const octet_drift_record& b) {
    return std::equal(std::begin(a.bytes), std::end(a.bytes), b.bytes);
  };
  const auto prepare = [&] {
    fs::remove_all(Store());
    fs::create_directory(Store());
    ASSERT_EQ(port::WriteDriftFile(path, before), "");
  };
  const auto save = [&] { return port::WriteDriftFile(path, now).empty(); };
  octet_drift_record found{};
  int error = 0;
  const auto read = [&] { return port::ReadDriftFile(path, &found, &error); };
  Each("drift save", prepare, save, [&](Ended ended) {
    ASSERT_EQ(read(), port::DriftFile::kRecord);
    EXPECT_TRUE(is(found, now) || (is(found, before) && !ended.done));
    EXPECT_TRUE(save()) << "and it can be done again";
    ASSERT_EQ(read(), port::DriftFile::kRecord);
    EXPECT_TRUE(is(found, now));
  });
  prepare();
  port::DriftFile kind{};
  Each(
      "drift load", [] {}, [&] { return (kind = read()) == port::DriftFile::kRecord; },
      [&](Ended ended) {
        if (!ended.done) {
          EXPECT_EQ(kind, port::DriftFile::kUnreadable);
          EXPECT_EQ(error, EIO);
        }
        ASSERT_EQ(read(), port::DriftFile::kRecord);
        EXPECT_TRUE(is(found, before));
      });
  // What could not be read at the start turns out to be somebody's picture.
  WriteText("store/drift", "P6 1 1 255");
  EXPECT_EQ(read(), port::DriftFile::kForeign);
  EXPECT_NE(port::WriteDriftFile(path, now).find(path), std::string::npos);
  EXPECT_EQ(read(), port::DriftFile::kForeign);
}

// Lines to a file on a disk that fails: none is cut in two, and of a live source nothing ends.
TEST_F(IoMatrix, Lines) {
  const std::string path = Path("lines");
  int file = -1;
  uint64_t dropped = 0;
  const port::StopRequest stop;
  const auto write = [&](bool waits) {
    port::LineWriter writer(file, waits, stop);
    for (int i = 0; i < 5; ++i) {
      if (!writer.Write("0123456789\n", 11)) return false;
    }
    dropped = writer.dropped();
    return dropped == 0;
  };
  for (const bool waits : {false, true}) {
    Each(
        waits ? "lines of a source that waits" : "lines of a live source",
        [&] {
          if (file >= 0) close(file);
          file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        },
        [&] { return write(waits); },
        [&](Ended) {
          const Blob bytes = ReadBlob(path);
          const std::string text(bytes.begin(), bytes.end());
          for (size_t at = 0; at < text.size(); ++at) {
            ASSERT_EQ(text[at], "0123456789\n"[at % 11]) << text;
          }
          if (!waits) {
            EXPECT_GE(text.size() / 11 + dropped + 1, 5u);
          }
        });
  }
  close(file);
}

// The kernel says so of a block device that is mounted; this one stands for one.
TEST_F(IoMatrix, ADeviceInUseIsKnown) {
  EXPECT_EQ(port::ExclusiveUse("/dev/null").other(), "");
  MakeBusy("/dev/null");
  EXPECT_EQ(port::ExclusiveUse("/dev/null").other(), "a file system or another device uses it");
  MakeBusy(nullptr);
}

}  // namespace
}  // namespace octet::test
