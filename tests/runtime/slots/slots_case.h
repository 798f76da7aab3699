// A store in memory and what asks it.
#ifndef OCTET_TESTS_RUNTIME_SLOTS_SLOTS_CASE_H_
#define OCTET_TESTS_RUNTIME_SLOTS_SLOTS_CASE_H_

#include <gtest/gtest.h>

#include "tests/runtime/slots/fake_storage.h"

namespace octet::test {

class Slots : public ::testing::Test {
 protected:
  octet_slots_code Open() {
    port_ = storage_.port();
    return octet_slots_open(&slots_, &port_, &config_);
  }
  Booted Boot() { return OpenAndBoot(&slots_, &storage_, config_); }

  FakeStorage storage_;
  octet_slots_config config_ = TestConfig();
  octet_storage port_{};
  octet_slots slots_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_RUNTIME_SLOTS_SLOTS_CASE_H_
