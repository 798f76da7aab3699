// octet.hpp: what it has beside the calls of a session, and that a const model cannot be written.
#include "octet/octet.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

// Whether a Model of this constness has a view of an output.
template <typename AModel, typename = void>
struct HasViews : std::false_type {};
template <typename AModel>
struct HasViews<AModel, std::void_t<decltype(std::declval<AModel&>().OutputView(
                            0u, 0u, std::declval<octet_tensor_view*>()))>> : std::true_type {};

static_assert(HasViews<Model>::value && !HasViews<const Model>::value);
static_assert(std::is_same_v<decltype(std::declval<Model&>().session()), octet_session*>);
static_assert(
    std::is_same_v<decltype(std::declval<const Model&>().session()), const octet_session*>);
static_assert(!std::is_invocable_v<decltype(&octet_output_view), const octet_session*, uint32_t,
                                   uint32_t, octet_tensor_view*>);
static_assert(!std::is_invocable_v<decltype(&octet_layer_view), const octet_session*, uint32_t,
                                   octet_tensor_view*>);

TEST(Hpp, WhatNeedsNoModel) {
  EXPECT_EQ(Library::Version(), static_cast<uint32_t>(OCTET_VERSION));
  EXPECT_STREQ(Library::CodeName(OCTET_CANCELLED), "cancelled");
  EXPECT_STREQ(Library::IsaName(OCTET_ISA_NEON), "neon");
  octet_isa isa = 99;
  EXPECT_EQ(Library::IsaFromName("i8mm", &isa).code, OCTET_OK);
  EXPECT_EQ(isa, OCTET_ISA_I8MM);
  EXPECT_TRUE(Library::IsaIsBuilt(OCTET_ISA_REFERENCE));
  const Blob blob = MakeMixedBlob();
  EXPECT_EQ(Library::Validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code, OCTET_OK);
  octet_blob_info info;
  EXPECT_EQ(Library::Describe(blob.data(), blob.size(), &info).code, OCTET_OK);
  EXPECT_EQ(info.plan_count, 2u);
}

TEST(Hpp, ResidentPlansAndViewsOfLayers) {
  const Blob blob = MakeMixedBlob();
  size_t bytes = 0;
  ASSERT_EQ(Model::ArenaBytes(blob.data(), blob.size(), 0, 1, 0, &bytes).code, OCTET_OK);
  AlignedBytes arena(bytes);
  Model model;
  ASSERT_EQ(model.Bind(blob.data(), blob.size(), arena.data(), bytes, octet_config{}).code,
            OCTET_OK);
  EXPECT_EQ(model.resident_plans(), model.plan_mask());
  EXPECT_EQ(model.SetResidentPlans(1).code, OCTET_OK);
  EXPECT_EQ(model.SetPlan(1).code, OCTET_INVALID_ARGUMENT);
  octet_tensor_view view;
  EXPECT_EQ(model.LayerView(0, &view).code, OCTET_OK);
  EXPECT_EQ(model.LayerView(model.layer_count(), &view).code, OCTET_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace octet::test
