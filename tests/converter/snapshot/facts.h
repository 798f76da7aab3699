// Facts of a conversion as lines of plain text, and the comparison of two such texts.
//
// A number that depends on FP32 sums stands behind ~ with four digits. Two of them are equal within
// 1 % (a number that ends in dB: within 0.6 dB), so that another order of sums
// (converter/support/arithmetic.h) needs no new texts. All other words are equal only if their
// letters are.
#ifndef OCTET_TESTS_CONVERTER_SNAPSHOT_FACTS_H_
#define OCTET_TESTS_CONVERTER_SNAPSHOT_FACTS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/blob_builder.h"

namespace octet::test {

// One line a record. Sentences are left out but for the names and numbers in them, as are times,
// hashes, paths below `folder`, and sizes of scratch memory, which are the runtime's.
std::string JsonFacts(const std::string& name, const nlohmann::json& document,
                      const std::string& folder);

// Numbers and names of lines for people, without the words between them.
std::string TextFacts(const std::string& name, const std::string& text, const std::string& folder);

// Records of every plan, sums over their data, and sums over the outputs for one random input.
std::string BlobFacts(const Blob& blob);

// Operators of a file that octet export wrote, and sums over its constants: one line.
std::string OnnxFacts(const std::string& path);

// Up to `most` differences, a line each; empty where there is none.
std::string Compare(const std::string& expected, const std::string& actual, int most);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_SNAPSHOT_FACTS_H_
