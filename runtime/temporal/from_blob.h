// A blob's temporal section, checked.
#ifndef OCTET_TEMPORAL_FROM_BLOB_H_
#define OCTET_TEMPORAL_FROM_BLOB_H_

#include "octet/octet.h"
#include "runtime/format/temporal_record.h"

namespace octet {
namespace temporal {

struct Filters {
  uint32_t count;  // 0: the blob has none
  blob::TemporalLayerRecord layers[blob::kMostTemporalLayers];
};

// Everything that the section says is checked, against the plans' records too; those are read and
// nothing behind them.
octet_status ReadFilters(const void* blob, size_t blob_bytes, Filters* filters);

}  // namespace temporal
}  // namespace octet

#endif  // OCTET_TEMPORAL_FROM_BLOB_H_
