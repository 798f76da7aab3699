// A small blob with two plans and many operators, for tests of the format and the engine.
#ifndef OCTET_TESTS_SUPPORT_MIXED_BLOB_H_
#define OCTET_TESTS_SUPPORT_MIXED_BLOB_H_

#include <cstddef>

#include "tests/support/blob_builder.h"

namespace octet::test {

// Input: a picture [1,4,4,3]. Plan "int8": conv, table (in place), depthwise conv, add (in place),
// max pool, concat, reshape, softmax, and a second output in two parts; plan "fp16": convert-free
// FP16 twin of its beginning. Labels "a", "b"; a decoder. `spare` bytes that nothing reads stand at
// the end of the weights of both plans and of the tables.
Blob MakeMixedBlob(size_t spare = 0);

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_MIXED_BLOB_H_
