// The product section (runtime/format/FORMAT.md): whose model this is.
#include <string>

#include <fmt/format.h>

#include "converter/sections/make.h"
#include "converter/sections/section.h"
#include "converter/support/error.h"
#include "runtime/format/product.h"

namespace octet::sections {
namespace {

// --product.
class Product : public Section {
 public:
  void AddOptions(port::Options command) override;
  void ReadOptions() override;
  void Make(const Conversion& given, write::ModelInfo* info, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::kProductSection ? "product" : nullptr;
  }
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;

 private:
  std::string name_;
  std::optional<port::Option> option_;
};

}  // namespace

void Product::AddOptions(port::Options command) {
  option_ = command.Add("--product", name_,
                        "name of the product that the model is made for, stored in the blob; a "
                        "store with a name (octet-slot STORE create --product) takes models of "
                        "that name alone. Up to 63 letters, digits, '.', '_' and '-'");
}

void Product::ReadOptions() {
  if (!option_->Given()) return;
  if (blob::IsProductName(reinterpret_cast<const uint8_t*>(name_.data()), name_.size())) return;
  Fail("--product: '{}' is not a name; use 1 to {} letters, digits, '.', '_' and '-'", name_,
       blob::kMostProductBytes);
}

void Product::Make(const Conversion& /*given*/, write::ModelInfo* info, Told* told) const {
  if (name_.empty()) return;
  info->AddSection(blob::kProductSection, {name_.begin(), name_.end()});
  told->facts["product"] = name_;
}

void Product::Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const {
  (*description)["product"] = nullptr;
  BlobView view{};
  if (!IsOk(ViewSections(blob, blob_bytes, &view))) return;
  const Bytes name = blob::ProductOf(view);
  if (name.bytes == 0) return;
  (*description)["product"] = std::string(name.data, name.data + name.bytes);
}

std::string Product::InspectText(const nlohmann::json& description) const {
  const nlohmann::json& name = description["product"];
  return name.is_null() ? "" : fmt::format("product {}\n", name.get<std::string>());
}

std::shared_ptr<Section> MakeProduct() {
  return std::make_shared<Product>();
}

}  // namespace octet::sections
