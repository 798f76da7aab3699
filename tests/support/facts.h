// What a message has to tell a reader: names, numbers, options, places. Not the words between them.
#ifndef OCTET_TESTS_SUPPORT_FACTS_H_
#define OCTET_TESTS_SUPPORT_FACTS_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace octet::test {

// Every one of `facts` stands in `message`, in this order.
inline void ExpectFacts(const std::string& message, const std::vector<std::string>& facts) {
  size_t from = 0;
  for (const std::string& fact : facts) {
    const size_t at = message.find(fact, from);
    EXPECT_NE(at, std::string::npos) << "'" << fact << "' is not in, or not in order: " << message;
    if (at != std::string::npos) from = at + fact.size();
  }
}

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_FACTS_H_
