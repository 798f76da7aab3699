// What octet-camera --check says of a camera, which it leaves as it is.
#include <gtest/gtest.h>

#include <cerrno>

#include "ports/linux/camera/program/board_check.h"
#include "tests/ports/linux/v4l2_source/fake_camera.h"

namespace octet::port {

// Of the program's other files: no source but a camera is looked at here.
BoardFinding FailedFinding(const std::string& name, const std::string& error) {
  return {name, BoardState::kFails, error, ""};
}
std::unique_ptr<Source> OpenSource(const CameraOptions&, std::unique_ptr<Garments>*) {
  throw InputError("no such source; name another");
}

}  // namespace octet::port

namespace octet::test {
namespace {

using port::BoardFinding;
using port::BoardState;

class CheckSource : public testing::Test {
 protected:
  BoardFinding Look() {
    port::CameraOptions options;
    options.source = FakeCamera::kPath;
    port::BoardFindings findings;
    port::CheckSources(options, &findings);
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
  const BoardFinding finding = Look();
  EXPECT_EQ(finding.state, BoardState::kFine);
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
    const BoardFinding finding = Look();
    EXPECT_EQ(finding.state, BoardState::kFails);
    EXPECT_NE(finding.found.find(c.found), std::string::npos) << finding.found;
    EXPECT_NE(finding.mend.find(c.mend), std::string::npos) << finding.mend;
  }
  camera_.open_error = 0;
  camera_.failures = {{VIDIOC_QUERYCAP, ENOTTY}};
  EXPECT_NE(Look().found.find("is not a camera"), std::string::npos);
  EXPECT_EQ(Look().state, BoardState::kFails);
}

TEST_F(CheckSource, InUseIsWhatRefusesToFreeBuffers) {
  camera_.is_busy = true;
  const BoardFinding busy = Look();
  EXPECT_EQ(busy.state, BoardState::kFails);
  EXPECT_NE(busy.found.find("in use"), std::string::npos) << busy.found;
  EXPECT_NE(busy.mend.find("fuser -v /dev/null"), std::string::npos);
  camera_.is_busy = false;
  camera_.failures = {{VIDIOC_REQBUFS, EINVAL}};
  EXPECT_EQ(Look().state, BoardState::kFine) << "any other answer is no use by others";
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
    const BoardFinding finding = Look();
    EXPECT_EQ(finding.state == BoardState::kFine, c.captures) << finding.found;
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
    port::BoardFindings findings;
    port::CheckSources(options, &findings);
    if (findings[1].found != "none in /dev/video*") GTEST_SKIP() << "this machine has a camera";
    EXPECT_EQ(findings[1].state, c.wanted ? BoardState::kLacks : BoardState::kFine) << c.source;
    EXPECT_EQ(findings[1].mend.empty(), !c.wanted);
  }
}

}  // namespace
}  // namespace octet::test
