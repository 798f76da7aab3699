#include "ports/linux/model.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runtime/format/validate.h"

namespace octet::port {

Model::Model(const std::string& path, const ModelOptions& options)
    : options_(options), file_(path) {
  const CpuWord cpu = DetectCpu();
  isa_ = options.isa.value_or(BestIsa(cpu));
  if (!CanRun(cpu, isa_)) {
    throw InputError(std::string("--isa ") + octet_isa_name(isa_) +
                     ": not in this build or not on this machine; --isa list names those that are");
  }
  const Status status = ViewBlob(file_.data(), file_.bytes(), &blob_);
  if (!IsOk(status)) Refuse({static_cast<octet_code>(status.code), status.offset});
  if (!options.plan.empty()) {
    while (plan_ < blob_.model->plan_count &&
           options.plan != StringAt(blob_, blob_.plans[plan_].name)) {
      ++plan_;
    }
    if (plan_ == blob_.model->plan_count) {
      std::string names;
      for (uint32_t i = 0; i < blob_.model->plan_count; ++i) {
        names += std::string(i == 0 ? "" : ", ") + StringAt(blob_, blob_.plans[i].name);
      }
      throw InputError(path + ": no plan " + options.plan + "; it has " + names);
    }
  }
  if (options.verify_hashes) VerifyHashes(cpu);
  const octet_status sized =
      octet_arena_bytes(file_.data(), file_.bytes(), isa_, options.threads, &arena_bytes_);
  if (sized.code == OCTET_INVALID_ARGUMENT) {
    throw InputError("--threads " + std::to_string(options.threads) + ": use 1 to 256");
  }
  if (sized.code != OCTET_OK) Refuse(sized);
  // aligned_alloc wants a multiple of the alignment; pages nobody touches are never resident.
  arena_.reset(std::aligned_alloc(64, (arena_bytes_ + 63) / 64 * 64));
  if (arena_ == nullptr) {
    throw InputError(path + ": no memory for an arena of " + std::to_string(arena_bytes_) +
                     " bytes; use fewer threads");
  }
  if (options.threads > 1) pool_.emplace(options.threads);
}

void Model::Bind() {
  octet_config config = {};
  config.isa = isa_;
  config.pool = pool_ ? pool_->pool() : nullptr;
  config.verify_hashes = OCTET_VERIFY_NONE;  // done above, section by section
  config.ticks = options_.ticks;
  octet_status status =
      octet_bind(file_.data(), file_.bytes(), arena_.get(), arena_bytes_, &config, &session_);
  if (status.code == OCTET_OK) status = octet_set_plan(session_, plan_);
  if (status.code != OCTET_OK) Refuse(status);
  // Validation has looked at every plan; keep what this one runs on.
  for (uint32_t i = 0; i < blob_.header->section_count; ++i) {
    const blob::Section* section = SectionAt(blob_.header, i);
    if (InUse(section->kind)) {
      file_.Map(section->offset, section->bytes);
    } else {
      file_.Drop(section->offset, section->bytes);
    }
  }
  TouchArena();
}

void Model::Refuse(octet_status status) const {
  // A short file of another kind is truncated to the verifier.
  const size_t begun = std::min(file_.bytes(), sizeof(blob::kMagic));
  if (status.code == OCTET_NOT_A_BLOB || std::memcmp(file_.data(), blob::kMagic, begun) != 0) {
    throw InputError(file_.path() + ": not a blob; octet convert makes one from an ONNX model");
  }
  if (status.code == OCTET_OPERATOR_UNAVAILABLE) {
    throw InputError(file_.path() + ": needs an operator left out of this program; octet inspect " +
                     "--operators lists what to link");
  }
  throw InputError(file_.path() + ": " + octet_code_name(status.code) + " at byte " +
                   std::to_string(status.offset) +
                   "; convert the model again or copy the file anew");
}

// The pages this plan uses, so that the first inference does not meet them one by one. The tensors
// come last and another plan's may be larger.
void Model::TouchArena() const {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < blob_.model->plan_count; ++i) {
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
bool Model::InUse(blob::SectionKind kind) const {
  if (kind == blob::SectionKind::kReport) return false;
  if (kind != blob::SectionKind::kWeightsS8 && kind != blob::SectionKind::kWeightsF16) return true;
  PlanView plan;
  if (!IsOk(ViewPlan(blob_, plan_, &plan))) return true;
  const auto wanted =
      kind == blob::SectionKind::kWeightsF16 ? blob::Precision::kFp16 : blob::Precision::kInt8;
  return std::any_of(plan.layers, plan.layers + plan.header->layer_count,
                     [&](const blob::LayerRecord& layer) {
                       return layer.precision == wanted && layer.weights.bytes != 0;
                     });
}

// As octet_validate would, but lets pages go that the plan does not need, so that memory stays
// within sections in use.
void Model::VerifyHashes(CpuWord cpu) const {
  constexpr size_t kStepBytes = size_t{1} << 20;
  const Sha256BlocksFn blocks = VerifyMode(cpu) == OCTET_VERIFY_SHA_INSTRUCTIONS
                                    ? Sha256BlocksAccelerated()
                                    : Sha256BlocksPortable;
  uint8_t digest[kSha256Bytes];
  HeaderDigest(blob_.header, blocks, digest);
  if (std::memcmp(digest, blob_.header->sha256, sizeof(digest)) != 0) {
    Refuse({OCTET_CORRUPT, offsetof(blob::Header, sha256)});
  }
  for (uint32_t i = 0; i < blob_.header->section_count; ++i) {
    const blob::Section* section = SectionAt(blob_.header, i);
    const bool keep = InUse(section->kind);
    Sha256 hash;
    Sha256Start(&hash, blocks);
    for (size_t done = 0; done < section->bytes; done += kStepBytes) {
      const size_t step = std::min(kStepBytes, section->bytes - done);
      Sha256Update(&hash, file_.data() + section->offset + done, step);
      if (!keep) file_.Drop(section->offset + done, step);
    }
    Sha256Finish(&hash, digest);
    if (std::memcmp(digest, section->sha256, sizeof(digest)) != 0) {
      Refuse({OCTET_CORRUPT, section->offset});
    }
  }
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
