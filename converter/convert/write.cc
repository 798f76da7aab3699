#include "converter/convert/write.h"

#include <utility>

#include "converter/blobs/verify_blob.h"

namespace octet::convert {

Written Write(Sectioned sectioned) {
  const Judged& from = sectioned.from;
  Written result{{}, std::move(sectioned.told)};
  if (from.plans.empty()) return result;
  result.blob = write::WriteBlob(sectioned.info, from.plans);
  blobs::VerifyBlob(result.blob);
  const sections::Conversion given = ConversionOf(from);
  for (const auto& section : from.options().sections) {
    if (section->Finish(given, &result.blob, &result.told)) blobs::VerifyBlob(result.blob);
  }
  return result;
}

}  // namespace octet::convert
