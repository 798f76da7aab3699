// Model: what was checked is what runs, and a plan bound later is checked as well.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "ports/linux/model.h"
#include "tests/support/blob_builder.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::BlobStorage;
using port::InputError;
using port::Model;
using port::ModelOptions;

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-model-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    blob_ = MakeMixedBlob();
    Write(blob_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path() const { return (folder_ / "m.octet").string(); }
  void Write(const Blob& blob) const {
    std::ofstream(Path(), std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()),
               static_cast<std::streamsize>(blob.size()));
  }
  // What opening says of the blob with this byte changed; "" where it opens.
  std::string Refusal(size_t at, BlobStorage storage) const {
    Blob changed = blob_;
    changed.data()[at] ^= 0x40;
    Write(changed);
    ModelOptions options;
    options.all_plans = true;
    options.storage = storage;
    try {
      Model model(Path(), options);
      model.Bind();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  const blob::Section* SectionOf(blob::SectionKind kind) const {
    const auto* header = reinterpret_cast<const blob::Header*>(blob_.data());
    for (uint32_t i = 0; i < header->section_count; ++i) {
      if (SectionAt(header, i)->kind == kind) return SectionAt(header, i);
    }
    return nullptr;
  }
  static std::vector<float> Run(octet_session* session) {
    const std::vector<uint8_t> picture(48, 77);
    EXPECT_EQ(octet_set_input_image(session, 0, picture.data(), 4, 4, 3, 12).code, OCTET_OK);
    EXPECT_EQ(octet_run(session).code, OCTET_OK);
    octet_tensor_info info;
    octet_output_info(session, 0, &info);
    std::vector<float> values(info.element_count);
    octet_get_output(session, 0, values.data(), values.size());
    return values;
  }

  fs::path folder_;
  Blob blob_;
};

// The converter's hash check, the validator's and the programs' are one: any byte, padding too.
TEST_F(ModelFile, EveryByteIsChecked) {
  for (const BlobStorage storage : {BlobStorage::kOwned, BlobStorage::kMapped}) {
    for (size_t at = 0; at < blob_.size(); at += at < 256 || at % 4096 < 2 ? 1 : 1021) {
      Blob changed = blob_;
      changed.data()[at] ^= 0x40;
      const octet_status wanted =
          octet_validate(changed.data(), changed.size(), OCTET_VERIFY_PORTABLE);
      EXPECT_EQ(Refusal(at, storage).empty(), wanted.code == OCTET_OK) << "byte " << at;
    }
  }
}

TEST_F(ModelFile, PaddingIsNamed) {
  const blob::Section* weights = SectionOf(blob::SectionKind::kWeightsS8);
  const size_t padding = weights->offset + weights->bytes;
  ASSERT_NE(padding % 4096, 0u);
  for (const BlobStorage storage : {BlobStorage::kOwned, BlobStorage::kMapped}) {
    EXPECT_NE(Refusal(padding, storage).find("at byte " + std::to_string(padding)),
              std::string::npos);
  }
}

TEST_F(ModelFile, TheOtherPlanIsReadWhenItIsBound) {
  for (const BlobStorage storage : {BlobStorage::kOwned, BlobStorage::kMapped}) {
    ModelOptions options;
    options.all_plans = true;
    options.storage = storage;
    options.plan = "fp16";
    Model fp16(Path(), options);
    fp16.Bind();
    options.plan = "int8";
    Model model(Path(), options);
    model.Bind();
    const std::vector<float> first = Run(model.session());
    ASSERT_EQ(model.SetPlan(1).code, OCTET_OK);
    EXPECT_EQ(model.plan(), 1u);
    EXPECT_EQ(octet_plan(model.session()), 1u);
    EXPECT_EQ(Run(model.session()), Run(fp16.session()));
    ASSERT_EQ(model.SetPlan(0).code, OCTET_OK);
    EXPECT_EQ(Run(model.session()), first);
    EXPECT_EQ(model.SetPlan(2).code, OCTET_INVALID_ARGUMENT);
    // Both may run from now on: a guard's shadow runs switch without asking for weights.
    model.Trim();
    ASSERT_EQ(octet_set_plan(model.session(), 1).code, OCTET_OK);
    EXPECT_EQ(Run(model.session()), Run(fp16.session()));
  }
}

// Whole pages of each section: those of the plan that runs and of what all plans share are in
// memory, those of the other plan's weights are not.
TEST_F(ModelFile, WhatAPlanNeedsIsInMemory) {
  blob_ = MakeMixedBlob(3 * 4096);
  Write(blob_);
  const auto kinds = {blob::SectionKind::kWeightsS8, blob::SectionKind::kWeightsF16,
                      blob::SectionKind::kTables, blob::SectionKind::kStrings};
  for (const char* name : {"int8", "fp16"}) {
    ModelOptions options;
    options.all_plans = true;
    options.storage = BlobStorage::kOwned;
    options.plan = name;
    Model model(Path(), options);
    model.Bind();
    for (int other = 0; other < 2; ++other) {
      if (other == 1) {
        ASSERT_EQ(model.SetPlan(1 - model.plan()).code, OCTET_OK);
      }
      for (const blob::SectionKind kind : kinds) {
        const blob::Section* section = SectionOf(kind);
        ASSERT_NE(section, nullptr);
        const bool there = std::memcmp(model.blob().base + section->offset,
                                       blob_.data() + section->offset, section->bytes) == 0;
        const bool goes = other == 0 && kind == (model.plan() == 0 ? blob::SectionKind::kWeightsF16
                                                                   : blob::SectionKind::kWeightsS8);
        EXPECT_EQ(there, !goes) << name << " " << static_cast<int>(kind) << " " << other;
      }
    }
  }
}

// A file that has changed since: the plan stays, and goes on giving what it gave.
TEST_F(ModelFile, AChangedFileGivesNoOtherPlan) {
  const blob::Section* weights = SectionOf(blob::SectionKind::kWeightsF16);
  ASSERT_NE(weights, nullptr);
  ModelOptions options;
  options.all_plans = true;
  Model model(Path(), options);
  model.Bind();
  const std::vector<float> first = Run(model.session());
  std::fstream(Path(), std::ios::binary | std::ios::in | std::ios::out)
      .seekp(weights->offset)
      .put('\x55');
  const octet_status status = model.SetPlan(1);
  EXPECT_EQ(status.code, OCTET_CORRUPT);
  EXPECT_EQ(status.offset, weights->offset);
  EXPECT_EQ(model.plan(), 0u);
  EXPECT_EQ(Run(model.session()), first);
  fs::resize_file(Path(), 100);
  EXPECT_EQ(model.SetPlan(1).code, OCTET_CORRUPT);
  Write(blob_);  // as it was
  EXPECT_EQ(model.SetPlan(1).code, OCTET_OK);
}

// Hashes say that it is what was written, not that all levels would compute the same with it.
TEST_F(ModelFile, ContentThatLevelsReadDifferentlyIsRefused) {
  Blob blob = MakeConvBlob({});
  Write(blob);
  EXPECT_NO_THROW(Model(Path(), {}));
  BlobView view;
  ASSERT_TRUE(IsOk(ViewBlob(blob.data(), blob.size(), &view)));
  PlanView plan;
  ASSERT_TRUE(IsOk(ViewPlan(view, 0, &plan)));
  ++reinterpret_cast<blob::ChannelBlockS8*>(blob.data() + view.weights_s8.offset +
                                            plan.layers->channels.offset)
        ->weight_sum[0];
  Rehash(blob);
  Write(blob);
  EXPECT_THROW(Model(Path(), {}), InputError);
  ModelOptions unchecked;
  unchecked.verify_hashes = false;
  EXPECT_NO_THROW(Model(Path(), unchecked));
}

// The bytes in memory are enough, whatever became of the file; what is not there has to be as it
// was.
TEST_F(ModelFile, AModelIsMadeAgainOfItsBytesInMemory) {
  ModelOptions options;
  options.plan = "int8";
  std::optional<Model> model(std::in_place, Path(), options);
  model->Bind();
  const std::vector<float> values = Run(model->session());
  const std::shared_ptr<port::LoadedBlob> blob = model->loaded();
  fs::resize_file(Path(), 1000);
  fs::remove(Path());
  model.reset();
  ModelOptions other = options;
  other.plan = "fp16";
  EXPECT_THROW(Model(blob, other), InputError) << "its weights are gone with the file";
  options.threads = 2;
  model.emplace(blob, options);
  model->Bind();
  EXPECT_EQ(Run(model->session()), values);
}

TEST_F(ModelFile, APlanThatWasNotInMemoryIsReadAgain) {
  ModelOptions options;
  options.plan = "fp16";
  Model whole(Path(), options);
  whole.Bind();
  const std::vector<float> values = Run(whole.session());
  options.plan = "int8";
  Model first(Path(), options);
  first.Bind();
  options.plan = "fp16";
  Model second(first.loaded(), options);
  second.Bind(Model::Unused::kKept);
  EXPECT_EQ(Run(second.session()), values);
  second.Trim();
  EXPECT_EQ(Run(second.session()), values);
}

TEST_F(ModelFile, ShortFilesAreRefused) {
  for (size_t bytes = 1; bytes < blob_.size(); bytes += bytes < 256 ? 1 : 997) {
    Write(blob_);
    fs::resize_file(Path(), bytes);
    EXPECT_THROW(Model(Path(), ModelOptions{}), InputError) << bytes;
  }
}

}  // namespace
}  // namespace octet::test
