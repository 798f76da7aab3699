// What octet-camera --check says of a camera, which it leaves as it is.
#include <gtest/gtest.h>

#include <cerrno>

#include "ports/linux/camera/program/check/check.h"
#include "tests/ports/linux/v4l2_source/fake_camera.h"

namespace octet::test {
namespace {

using port::Finding;
using port::FindingState;

class CheckSource : public testing::Test {
 protected:
  Finding Look() {
    port::CameraOptions options;
    options.source = FakeCamera::kPath;
    port::Checked checked;
    port::CheckSources(options, &checked);
    const std::vector<Finding> findings = checked.All();
    EXPECT_EQ(findings.size(), 2u);
    EXPECT_EQ(findings[0].name, "source");
    EXPECT_EQ(findings[1].name, "cameras");
    EXPECT_EQ(camera_.opened, 0);
    EXPECT_FALSE(camera_.streams);
    EXPECT_TRUE(camera_.queued.empty());
    return findings[0];
  }
  FakeCamera camera_;
};

TEST_F(CheckSource, ACameraIsNamed) {
  const Finding finding = Look();
  EXPECT_EQ(finding.state, FindingState::kFine);
  EXPECT_EQ(finding.found, "/dev/null (Fake)");
  EXPECT_EQ(finding.mend, "");
  EXPECT_EQ(camera_.requested, 0u) << "no buffers were asked for";
}

TEST_F(CheckSource, EachReasonHasItsWayOut) {
  const struct {
    int error;
    const char *found, *mend;
  } cases[] = {{EACCES, "cannot be opened", "groups video"},
               {EPERM, "cannot be opened", "groups video"},
               {EBUSY, "cannot be opened", "fuser -v"},
               {ENXIO, "cannot be opened", "ls -l"}};
  for (const auto& c : cases) {
    camera_.open_error = c.error;
    const Finding finding = Look();
    EXPECT_EQ(finding.state, FindingState::kFails);
    EXPECT_NE(finding.found.find(c.found), std::string::npos) << finding.found;
    EXPECT_NE(finding.mend.find(c.mend), std::string::npos) << finding.mend;
  }
  camera_.open_error = 0;
  camera_.failures = {{VIDIOC_QUERYCAP, ENOTTY}};
  EXPECT_NE(Look().found.find("is not a camera"), std::string::npos);
  EXPECT_EQ(Look().state, FindingState::kFails);
}

TEST_F(CheckSource, InUseIsWhatRefusesToFreeBuffers) {
  camera_.is_busy = true;
  const Finding busy = Look();
  EXPECT_EQ(busy.state, FindingState::kFails);
  EXPECT_NE(busy.found.find("in use"), std::string::npos) << busy.found;
  EXPECT_NE(busy.mend.find("fuser -v /dev/null"), std::string::npos);
  camera_.is_busy = false;
  camera_.failures = {{VIDIOC_REQBUFS, EINVAL}};
  EXPECT_EQ(Look().state, FindingState::kFine) << "any other answer is no use by others";
}

TEST_F(CheckSource, BothAbilitiesAreNeeded) {
  constexpr uint32_t kBoth = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
  const struct {
    uint32_t capabilities, device_caps;
    bool captures;
  } cases[] = {{kBoth, 0, true},
               {V4L2_CAP_VIDEO_CAPTURE, kBoth, false},
               {V4L2_CAP_STREAMING, kBoth, false},
               {kBoth | V4L2_CAP_DEVICE_CAPS, V4L2_CAP_STREAMING, false},
               {V4L2_CAP_DEVICE_CAPS, kBoth, true}};
  for (const auto& c : cases) {
    camera_.capabilities = c.capabilities;
    camera_.device_caps = c.device_caps;
    const Finding finding = Look();
    EXPECT_EQ(finding.state == FindingState::kFine, c.captures) << finding.found;
    EXPECT_EQ(finding.found.find("no streaming") == std::string::npos, c.captures);
  }
}

// A camera is missing only where one is wanted.
TEST(CheckSources, WhatIsWanted) {
  const struct {
    const char* source;
    bool wanted;
  } cases[] = {{"", true}, {"-", false}, {"/dev/none", true}, {"clip.y4m", false}};
  for (const auto& c : cases) {
    port::CameraOptions options;
    options.source = c.source;
    port::Checked checked;
    port::CheckSources(options, &checked);
    const std::vector<Finding> findings = checked.All();
    if (findings[1].found != "none in /dev/video*") GTEST_SKIP() << "this machine has a camera";
    EXPECT_EQ(findings[1].state, c.wanted ? FindingState::kLacks : FindingState::kFine) << c.source;
    EXPECT_EQ(findings[1].mend.empty(), !c.wanted);
  }
}

}  // namespace
}  // namespace octet::test
