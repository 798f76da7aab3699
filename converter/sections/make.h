// What makes the section of each line of sections.inc. For sections.cc and the folders of the
// sections alone: a line more compiles these again, and nothing that only uses sections.
#ifndef OCTET_CONVERTER_SECTIONS_MAKE_H_
#define OCTET_CONVERTER_SECTIONS_MAKE_H_

#include <memory>

#include "converter/sections/section.h"

namespace octet::sections {

// One each, by the folder of the section.
#define OCTET_SECTION(name) std::shared_ptr<Section> Make##name();
#include "converter/sections/sections.inc"
#undef OCTET_SECTION

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_MAKE_H_
