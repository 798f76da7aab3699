// octet/linux.h over Model. Every function that may throw catches everything, because callers are
// C, Python or others without C++ exceptions.
#include "octet/linux.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "ports/linux/cpu.h"
#include "ports/linux/model.h"
#include "ports/linux/thread_pool.h"
#include "runtime/core/sized.h"

struct octet_linux {
  octet_linux(const char* path, const octet::port::ModelOptions& options) : model(path, options) {}

  octet::port::Model model;
};

struct octet_linux_pool {
  explicit octet_linux_pool(uint32_t count) : threads(count) {}

  octet::port::ThreadPool threads;
};

namespace {

using octet::port::InputError;

constexpr uint32_t kMostThreads = 256;

// The pool's threads inherit what is blocked here: signals of the program go to its own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Checks here, because the messages of Model name options of a command line.
octet::port::ModelOptions Translate(const octet_linux_options* given) {
  octet::port::ModelOptions options;
  if (given == nullptr) return options;
  octet_linux_options o;
  if (!octet::ReadSized(given, &o)) {
    throw InputError("options of " + std::to_string(given->size) + " bytes: this library knows " +
                     std::to_string(sizeof(o)) +
                     "; set size to sizeof(octet_linux_options) of this library");
  }
  if (o.isa != nullptr) {
    octet_isa isa;
    if (octet_isa_from_name(o.isa, &isa).code != OCTET_OK) {
      throw InputError(std::string("isa '") + o.isa +
                       "': no such instruction set; leave it unset for the best here");
    }
    if (!octet_linux_can_run(isa)) {
      throw InputError(std::string("isa '") + o.isa +
                       "': not in this build or not on this machine; the best here is " +
                       octet_isa_name(octet_linux_best_isa()));
    }
    options.isa = isa;
  }
  if (o.threads > kMostThreads) {
    throw InputError("threads " + std::to_string(o.threads) + ": too many; use 1 to " +
                     std::to_string(kMostThreads));
  }
  if ((o.flags & ~(OCTET_LINUX_NO_VERIFY | OCTET_LINUX_MAP)) != 0) {
    throw InputError("flags " + std::to_string(o.flags) +
                     ": this library does not know all of them; use those of its linux.h");
  }
  options.threads = std::max(o.threads, 1u);
  if (o.plan != nullptr) options.plan = o.plan;
  options.verify_hashes = (o.flags & OCTET_LINUX_NO_VERIFY) == 0;
  if ((o.flags & OCTET_LINUX_MAP) != 0) options.storage = octet::port::BlobStorage::kMapped;
  options.ticks = o.ticks;
  options.all_plans = true;
  return options;
}

void Say(const char* text, char* error, size_t error_bytes) {
  if (error == nullptr || error_bytes == 0) return;
  const size_t length = std::min(std::strlen(text), error_bytes - 1);
  std::memcpy(error, text, length);
  error[length] = 0;
}

const octet::blob::DecodeRecord* DecoderOf(const octet_linux* model) {
  const octet::BlobView& blob = model->model.blob();
  return blob.decode.data == nullptr ? nullptr : &octet::DecodeOf(blob);
}

}  // namespace

octet_linux* octet_linux_open(const char* path, const octet_linux_options* options, char* error,
                              size_t error_bytes) {
  Say("", error, error_bytes);
  try {
    if (path == nullptr) throw InputError("path is NULL; give the path of a blob");
    const SignalsBlocked blocked;
    auto opened = std::make_unique<octet_linux>(path, Translate(options));
    opened->model.Bind();
    return opened.release();
  } catch (const std::bad_alloc&) {
    Say("no memory to open the model; end other programs", error, error_bytes);
  } catch (const std::exception& failure) {
    Say(failure.what(), error, error_bytes);
  } catch (...) {
    Say("internal error", error, error_bytes);
  }
  return nullptr;
}

void octet_linux_close(octet_linux* model) {
  delete model;
}

octet_session* octet_linux_session(const octet_linux* model) {
  return model->model.session();
}

octet_status octet_linux_set_plan(octet_linux* model, uint32_t plan) {
  return model->model.SetPlan(plan);  // throws nothing: no allocation, statuses for all else
}

octet_isa octet_linux_isa(const octet_linux* model) {
  return model->model.isa();
}

uint32_t octet_linux_threads(const octet_linux* model) {
  return model->model.threads();
}

size_t octet_linux_arena_bytes(const octet_linux* model) {
  return model->model.arena_bytes();
}

size_t octet_linux_blob_bytes(const octet_linux* model) {
  return model->model.blob_bytes();
}

uint32_t octet_linux_decode_input(const octet_linux* model) {
  const auto* decoder = DecoderOf(model);
  return decoder == nullptr ? 0 : decoder->input;
}

uint32_t octet_linux_max_detections(const octet_linux* model) {
  const auto* decoder = DecoderOf(model);
  return decoder == nullptr ? 0 : decoder->max_detections;
}

octet_linux_pool* octet_linux_pool_start(uint32_t threads) {
  if (threads == 0 || threads > kMostThreads) return nullptr;
  try {
    const SignalsBlocked blocked;
    return new octet_linux_pool(threads);
  } catch (...) {
    return nullptr;
  }
}

void octet_linux_pool_stop(octet_linux_pool* pool) {
  delete pool;
}

const octet_pool* octet_linux_pool_get(const octet_linux_pool* pool) {
  return pool->threads.pool();
}

int octet_linux_can_run(octet_isa isa) {
  return octet::port::CanRun(octet::port::DetectCpu(), isa);
}

octet_isa octet_linux_best_isa(void) {
  return octet::port::BestIsa(octet::port::DetectCpu());
}

uint32_t octet_linux_verify_mode(void) {
  return octet::port::VerifyMode(octet::port::DetectCpu());
}

uint64_t octet_linux_cpu_features(void) {
  return octet::port::Features(octet::port::DetectCpu());
}

const char* octet_linux_version(void) {
  return OCTET_VERSION_TEXT;
}
