#include "ports/linux/model.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "runtime/engine/c_api.h"
#include "runtime/engine/content.h"

namespace octet::port {

namespace {

// Sections whose pages are loaded only if a plan needs them.
bool IsLarge(blob::SectionKind kind) {
  return kind == blob::SectionKind::kWeightsS8 || kind == blob::SectionKind::kWeightsF16 ||
         kind == blob::SectionKind::kReport;
}

}  // namespace

void ModelOptions::Set(const ModelFeature& feature, bool on) {
  std::erase_if(features, [&](const ModelFeature& one) { return one.bit == feature.bit; });
  if (on) features.push_back(feature);
}

Model::Model(const std::string& path, const ModelOptions& options)
    : Model(std::make_shared<LoadedBlob>(path, options.storage), options) {}

Model::Model(std::shared_ptr<LoadedBlob> blob, const ModelOptions& options)
    : options_(options), memory_(std::move(blob)) {
  const std::string& path = file_.path();
  const CpuWord cpu = DetectCpu();
  isa_ = options.isa.value_or(BestIsa(cpu));
  if (!CanRun(cpu, isa_)) {
    throw InputError(std::string("--isa ") + octet_isa_name(isa_) +
                     ": not in this build or not on this machine; see --isa list");
  }
  hash_ = VerifyMode(cpu) == OCTET_VERIFY_SHA_INSTRUCTIONS ? Sha256BlocksAccelerated()
                                                           : Sha256BlocksPortable;
  cpu_features_ = Features(cpu);
  const bool again = memory_->is_open;
  if (again) {
    RefuseUnless(ViewBlob(file_.data(), file_.bytes(), &blob_));
  } else {
    Open();
  }
  FindPlan(options.plan);
  if (!again && options.verify_hashes) VerifyHashes();
  // Validation looks at the weights of every plan bound, at the very bytes that were hashed.
  for (uint32_t i = 0; i < blob_.header->section_count; ++i) {
    const blob::Section& section = *SectionAt(blob_.header, i);
    if (loaded_[i] || options_.storage == BlobStorage::kMapped || !InUseByBound(section)) continue;
    LoadOrRefuse(section.offset, size_t{section.offset} + section.bytes);
    if (again) RefuseUnless(ValidateSectionHash(blob_, i, hash_, HashWatch{}));
    loaded_[i] = true;
  }
  memory_->is_open = true;
  const octet_status sized = octet_arena_bytes(file_.data(), file_.bytes(), isa_, options.threads,
                                               PlanMask(), &arena_bytes_);
  if (sized.code == OCTET_INVALID_ARGUMENT) {
    RefuseFeatures();
    throw InputError("--threads " + std::to_string(options.threads) + ": use 1 to 256");
  }
  if (sized.code != OCTET_OK) Refuse(sized);
  if (options.verify_hashes) RefuseUnless(ValidateContent(blob_, plan_mask()));
  // aligned_alloc wants a multiple of the alignment; pages that are not touched are never resident.
  arena_.reset(std::aligned_alloc(64, (arena_bytes_ + 63) / 64 * 64));
  if (arena_ == nullptr) {
    throw InputError(path + ": no memory for an arena of " + std::to_string(arena_bytes_) +
                     " bytes; use fewer threads");
  }
  if (options.threads <= 1) return;
  pool_ = options.pool;
  if (pool_ != nullptr) return;
  try {
    pool_ = std::make_shared<ThreadPool>(options.threads);
  } catch (const std::system_error& error) {
    throw InputError("--threads " + std::to_string(options.threads) + ": " + error.what() +
                     kThreadLimit + "; use fewer");
  }
}

void Model::RefuseUnless(Status status) const {
  if (!IsOk(status)) Refuse(ToC(status));
}

uint32_t Model::PlanMask() const {
  uint32_t mask = plan_mask();
  for (const ModelFeature& feature : options_.features) mask |= feature.bit;
  return mask;
}

// Where one of the features is what is asked for in vain.
void Model::RefuseFeatures() const {
  for (const ModelFeature& feature : options_.features) {
    if (feature.before == nullptr) continue;
    size_t unused = 0;
    const octet_status alone =
        octet_arena_bytes(file_.data(), file_.bytes(), isa_, 1, plan_mask() | feature.bit, &unused);
    if (alone.code == OCTET_INVALID_ARGUMENT) {
      throw InputError(feature.before + file_.path() + feature.behind);
    }
  }
}

// Everything but weights is loaded.
void Model::Open() {
  const size_t header_bytes = std::min(file_.bytes(), sizeof(blob::Header));
  LoadOrRefuse(0, header_bytes);
  const auto* header = reinterpret_cast<const blob::Header*>(file_.data());
  if (header_bytes == sizeof(blob::Header)) {
    // No larger table passes the check.
    constexpr size_t kMostBytes = size_t{blob::kMaxSections + 1} * 4096;
    LoadOrRefuse(header_bytes, std::min(file_.bytes(), kMostBytes));
  }
  RefuseUnless(ViewSections(file_.data(), file_.bytes(), &blob_));
  for (uint32_t i = 0; i < header->section_count; ++i) {
    const blob::Section* section = SectionAt(header, i);
    if (IsLarge(section->kind)) continue;
    LoadOrRefuse(section->offset, size_t{section->offset} + section->bytes);
    loaded_[i] = true;
  }
  RefuseUnless(ViewBlob(file_.data(), file_.bytes(), &blob_));
}

void Model::FindPlan(const std::string& plan_name) {
  if (plan_name.empty()) return;
  while (plan_ < blob_.model->plan_count && plan_name != StringAt(blob_, blob_.plans[plan_].name)) {
    ++plan_;
  }
  if (plan_ < blob_.model->plan_count) return;
  std::string names;
  for (uint32_t i = 0; i < blob_.model->plan_count; ++i) {
    names += std::string(i == 0 ? "" : ", ") + StringAt(blob_, blob_.plans[i].name);
  }
  throw InputError(file_.path() + ": no plan " + plan_name + "; it has " + names);
}

void Model::LoadOrRefuse(size_t begin, size_t end) const {
  if (!file_.Load(begin, end)) Refuse({OCTET_TRUNCATED, static_cast<uint32_t>(begin)});
}

template <typename Act>
void Model::EachSection(Act act) {
  for (uint32_t i = 0; i < blob_.header->section_count; ++i) {
    const blob::Section* section = SectionAt(blob_.header, i);
    act(*section, size_t{section->offset} + section->bytes, &loaded_[i]);
  }
}

void Model::Bind(Unused unused) {
  octet_config config = {};
  config.isa = isa_;
  config.pool = pool_ != nullptr ? pool_->pool() : nullptr;
  config.verify_hashes = OCTET_VERIFY_NONE;  // done above, section by section
  config.plan_mask = PlanMask();
  config.ticks = options_.ticks;
  config.cpu_features = cpu_features_;
  config.float_sums = options_.float_sums ? 1 : 0;
  config.before_layer = options_.before_layer;
  config.before_layer_context = options_.before_layer_context;
  octet_status status =
      octet_bind(file_.data(), file_.bytes(), arena_.get(), arena_bytes_, &config, &session_);
  if (status.code == OCTET_OK) status = octet_set_plan(session_, plan_);
  if (status.code != OCTET_OK) Refuse(status);
  octet_set_resident_plans(session_, 1u << plan_);
  if (unused == Unused::kDropped) Trim();
  TouchArena();
}

// What no resident plan needs goes: an observer may have asked for more than one by now.
void Model::Trim(uint32_t others) {
  const uint32_t resident = octet_resident_plans(session_) | others;
  EachSection([this, resident](const blob::Section& section, size_t end, bool* loaded) {
    *loaded = false;
    for (uint32_t plan = 0; plan < blob_.model->plan_count; ++plan) {
      *loaded |= (resident >> plan & 1) != 0 && InUse(section, plan);
    }
    if (!*loaded) {
      file_.Drop(section.offset, end);
    } else if (options_.storage == BlobStorage::kMapped) {
      file_.Load(section.offset, end);
    }
  });
}

octet_status Model::SetPlan(uint32_t plan) {
  if (plan >= blob_.model->plan_count || (octet_plan_mask(session_) >> plan & 1) == 0) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  for (uint32_t i = 0; i < blob_.header->section_count; ++i) {
    const blob::Section* section = SectionAt(blob_.header, i);
    if (loaded_[i] || !InUse(*section, plan)) continue;
    const size_t end = size_t{section->offset} + section->bytes;
    const bool read = file_.Load(section->offset, end);
    Status status = {Code::kCorrupt, section->offset};
    // Always hashed: only the hash shows that these are the validated bytes.
    if (read) status = ValidateSectionHash(blob_, i, hash_, HashWatch{});
    if (!IsOk(status)) {
      file_.Drop(section->offset, end);
      return ToC(status);
    }
    loaded_[i] = true;
  }
  plan_ = plan;
  octet_set_resident_plans(session_, octet_resident_plans(session_) | 1u << plan);
  TouchArena();
  return octet_set_plan(session_, plan);
}

void Model::Refuse(octet_status status) const {
  // The verifier would call a short file of another kind truncated.
  const size_t begun = std::min(file_.bytes(), sizeof(blob::kMagic));
  if (status.code == OCTET_NOT_A_BLOB || std::memcmp(file_.data(), blob::kMagic, begun) != 0) {
    throw InputError(file_.path() + ": not a blob; octet convert makes one from an ONNX model");
  }
  if (status.code == OCTET_OPERATOR_UNAVAILABLE) {
    throw InputError(file_.path() + ": needs an operator that this program lacks; octet inspect " +
                     "--operators lists the operators to link");
  }
  const auto* header = reinterpret_cast<const blob::Header*>(file_.data());
  if (status.code == OCTET_UNSUPPORTED_VERSION && header->version_major != blob::kVersionMajor) {
    const bool old = header->version_major < blob::kVersionMajor;
    throw InputError(file_.path() + ": format " + std::to_string(header->version_major) + "." +
                     std::to_string(header->version_minor) + ", this program reads " +
                     std::to_string(blob::kVersionMajor) + ": " +
                     (old ? "convert the ONNX model again with this release's octet convert"
                          : "use a program as new as the blob"));
  }
  throw InputError(file_.path() + " of " + std::to_string(file_.bytes()) + " bytes: " +
                   octet_code_name(status.code) + ", at byte " + std::to_string(status.offset) +
                   "; convert the model again, or copy the file again");
}

// The pages this plan uses, so that the first inference does not meet them one by one. The tensors
// come last and another plan's may be larger.
void Model::TouchArena() const {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < blob_.model->plan_count; ++i) {
    if ((octet_plan_mask(session_) >> i & 1) == 0) continue;
    largest = std::max(largest, blob_.plans[i].arena_bytes);
  }
  const size_t bytes = arena_bytes_ - (largest - blob_.plans[plan_].arena_bytes);
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, missing in older headers
  auto* memory = static_cast<volatile uint8_t*>(arena_.get());
  const size_t lead = reinterpret_cast<uintptr_t>(arena_.get()) % page;
  if (madvise(static_cast<uint8_t*>(arena_.get()) - lead, lead + bytes, kPopulateWrite) == 0) {
    return;
  }
  for (size_t i = 0; i < bytes; i += page) memory[i] = memory[i];
}

// A plan that mixes precisions uses both kinds of weights.
bool Model::InUse(const blob::Section& section, uint32_t plan_index) const {
  if (section.kind == blob::SectionKind::kReport) return false;
  if (!IsLarge(section.kind)) return true;
  PlanView plan;
  if (!IsOk(ViewPlan(blob_, plan_index, &plan))) return true;
  const auto wanted = section.kind == blob::SectionKind::kWeightsF16 ? blob::Precision::kFp16
                                                                     : blob::Precision::kInt8;
  return std::any_of(plan.layers, plan.layers + plan.header->layer_count,
                     [&](const blob::LayerRecord& layer) {
                       return layer.precision == wanted && layer.weights.bytes != 0;
                     });
}

bool Model::InUseByBound(const blob::Section& section) const {
  for (uint32_t i = 0; i < blob_.model->plan_count; ++i) {
    if ((options_.all_plans || i == plan_) && InUse(section, i)) return true;
  }
  return false;
}

// Every byte of the file.
void Model::VerifyHashes() {
  HashWatch watch = {};
  watch.context = this;
  // Bytes that cannot be read stay zero, and the hash does not match.
  watch.before = [](void* context, uint32_t begin, uint32_t end) {
    auto* model = static_cast<Model*>(context);
    const int section = model->SectionOf(begin, end);
    if (section < 0 || !model->loaded_[static_cast<size_t>(section)]) model->file_.Load(begin, end);
  };
  // Pages of a mapped file that the plan does not need are dropped; they can be read again.
  watch.after = [](void* context, uint32_t begin, uint32_t end) {
    auto* model = static_cast<Model*>(context);
    const int section = model->SectionOf(begin, end);
    if (section < 0) return;
    const blob::Section* entry = SectionAt(model->blob_.header, static_cast<uint32_t>(section));
    const bool may_go = model->options_.storage == BlobStorage::kMapped ||
                        entry->kind == blob::SectionKind::kReport;
    if (may_go && !model->InUse(*entry, model->plan_)) model->file_.Drop(begin, end);
  };
  RefuseUnless(ValidateHashes(blob_, hash_, watch));
  for (uint32_t i = 0; i < blob_.header->section_count; ++i) {
    loaded_[i] = SectionAt(blob_.header, i)->kind != blob::SectionKind::kReport;
  }
}

// The section that holds these bytes; -1: padding.
int Model::SectionOf(uint32_t begin, uint32_t end) const {
  for (uint32_t i = 0; i < blob_.header->section_count; ++i) {
    const blob::Section* section = SectionAt(blob_.header, i);
    if (begin >= section->offset && end <= uint64_t{section->offset} + section->bytes) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

uint64_t ResidentBytes() {
  const int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  char text[128] = {};
  const ssize_t length = read(descriptor, text, sizeof(text) - 1);
  close(descriptor);
  unsigned long long total = 0, resident = 0;
  if (length <= 0 || std::sscanf(text, "%llu %llu", &total, &resident) != 2) return 0;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace octet::port
