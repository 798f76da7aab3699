// octet verify --rebuild BLOB MODEL PICTURES: whether the same conversion gives the same bytes.
#ifndef OCTET_CONVERTER_CLI_REBUILD_H_
#define OCTET_CONVERTER_CLI_REBUILD_H_

#include <string>

#include "converter/blobs/blob_file.h"

namespace octet::cli {

// Whether the command line of `octet` is one of these. Its other words are those of octet convert.
bool AsksForRebuild(int argc, char** argv);
// Returns an exit status: 0 equal, 1 not. Throws UserError and UsageError.
int RunRebuild(int argc, char** argv);

// Where the bytes of two blobs differ first, as one line; empty where they are equal. A signature
// is left out of the comparison: it is added to a finished blob.
std::string FirstDifference(const blobs::BlobFile& blob, const blobs::BlobFile& rebuilt);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_REBUILD_H_
