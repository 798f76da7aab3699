// The product section (runtime/format/FORMAT.md): whose model this is.
#ifndef OCTET_CONVERTER_SECTIONS_PRODUCT_PRODUCT_H_
#define OCTET_CONVERTER_SECTIONS_PRODUCT_PRODUCT_H_

#include <string>

#include "converter/sections/section.h"
#include "runtime/format/product.h"

namespace octet::sections {

// --product.
class Product : public Section {
 public:
  void AddOptions(port::Options command) override;
  void ReadOptions() override;
  void Make(const Given& given, write::ModelInfo* info, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::kProductSection ? "product" : nullptr;
  }
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;

 private:
  std::string name_;
  std::optional<port::Option> option_;
};

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_PRODUCT_PRODUCT_H_
