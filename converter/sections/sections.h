// The list of optional sections. A section is a folder here and one line of sections.inc.
#ifndef OCTET_CONVERTER_SECTIONS_SECTIONS_H_
#define OCTET_CONVERTER_SECTIONS_SECTIONS_H_

#include <memory>
#include <vector>

#include "converter/sections/section.h"

namespace octet::sections {

using Sections = std::vector<std::shared_ptr<Section>>;

// One of each, as nobody asked for anything, in the order in which options, messages and checks
// come. Where they lie in the blob is the writer's matter.
Sections All();

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_SECTIONS_H_
