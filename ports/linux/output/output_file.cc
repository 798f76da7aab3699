#include "ports/linux/output/output_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "ports/linux/output/again.h"
#include "ports/linux/output/whole.h"

namespace octet::port {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;
constexpr int kMostNames = 100;  // of 2^64

[[noreturn]] void Refuse(const std::string& path, const std::string& why) {
  throw WriteError(path, why);
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string NameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

int Close(int descriptor) {
  // Linux closes the descriptor also if close reports an error.
  return close(descriptor) == 0 || errno == EINTR ? 0 : -1;
}

int Sync(int descriptor) {
  return Again([&] { return fsync(descriptor); });
}

// A sync of the folder makes the name of a new file durable. Some file systems cannot sync folders.
int SyncFolder(int folder) {
  return Sync(folder) == 0 || errno == EINVAL || errno == EBADF ? 0 : -1;
}

std::string Unguessable() {
  uint64_t number = 0;
  if (Again([&] { return getrandom(&number, sizeof(number), 0); }) !=
      static_cast<ssize_t>(sizeof(number))) {
    throw InputError("no random number from the kernel");
  }
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(number));
  return text;
}

int Open(const std::string& path, int flags) {
  return Again([&] { return open(path.c_str(), flags | O_CLOEXEC); });
}

int OpenFolder(const std::string& path) {
  const int folder = Open(path, O_RDONLY | O_DIRECTORY);
  // A folder that can be written but not listed is used without its sync.
  return folder >= 0 || errno != EACCES ? folder : Open(path, O_PATH | O_DIRECTORY);
}

int CreateNew(int folder, const std::string& name, mode_t mode) {
  return Again([&] {
    return openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  });
}

void Remove(int folder, const std::string& name) {
  Again([&] { return unlinkat(folder, name.c_str(), 0); });
}

}  // namespace

OutputFile::OutputFile(const std::string& path, Kept kept, Links links) : path_(path), kept_(kept) {
  struct stat info;
  bool is_there = lstat(path.c_str(), &info) == 0;
  bool as_it_is = false;
  if (is_there && S_ISLNK(info.st_mode) && links == Links::kFollowed) {
    if (info.st_uid != geteuid() && info.st_uid != 0) {
      Refuse(path, "is another user's link; remove it, or name the file itself");
    }
    is_there = stat(path.c_str(), &info) == 0;
    char* const real = is_there ? realpath(path.c_str(), nullptr) : nullptr;
    // Names of descriptors (/dev/stdout) are files that are open already.
    as_it_is = is_there && path.rfind("/dev/", 0) == 0;
    if (real != nullptr && !as_it_is) path_ = real;
    std::free(real);
    if (!is_there) Refuse(path, "is a link to a missing file; remove it, or name the file itself");
  }
  if (is_there && S_ISDIR(info.st_mode)) Refuse(path, "is a folder; name a file");
  if (is_there && !S_ISLNK(info.st_mode)) as_it_is = as_it_is || !S_ISREG(info.st_mode);
  if (as_it_is) {
    const int truncates = S_ISREG(info.st_mode) ? O_TRUNC : 0;
    file_ = Open(path, O_WRONLY | O_NOCTTY | truncates);
  } else {
    Create();
  }
  if (file_ < 0) {
    const int error = errno;
    Abandon();
    Refuse(path, ErrorText(error) + "; check that the folder exists and is writable");
  }
  buffer_ = std::make_unique<char[]>(kBufferBytes);
}

void OutputFile::Create() {
  name_ = NameOf(path_);
  folder_ = OpenFolder(FolderOf(path_));
  if (folder_ < 0) return;
  for (int i = 0; i < kMostNames; ++i) {
    temporary_ = name_.substr(0, 200) + ".partial." + Unguessable();
    file_ = CreateNew(folder_, temporary_, 0666);
    if (file_ >= 0) return;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  temporary_.clear();
  errno = error;
}

OutputFile::~OutputFile() {
  Abandon();
}

void OutputFile::Abandon() {
  if (file_ >= 0) Close(std::exchange(file_, -1));
  if (!temporary_.empty()) Remove(folder_, temporary_);
  temporary_.clear();
  if (folder_ >= 0) Close(std::exchange(folder_, -1));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, std::string())),
      kept_(other.kept_),
      buffer_(std::move(other.buffer_)),
      used_(std::exchange(other.used_, 0)),
      folder_(std::exchange(other.folder_, -1)),
      file_(std::exchange(other.file_, -1)) {}

void OutputFile::Fail(int error) const {
  Refuse(path_, ErrorText(error) + "; check the free space there");
}

void OutputFile::WriteAll(const void* data, size_t bytes) {
  if (!WriteWhole(file_, data, bytes)) Fail(errno);
}

void OutputFile::Flush() {
  WriteAll(buffer_.get(), std::exchange(used_, 0));
}

void OutputFile::Write(const void* data, size_t bytes) {
  if (bytes > kBufferBytes - used_) Flush();
  if (bytes >= kBufferBytes) return WriteAll(data, bytes);
  std::copy_n(static_cast<const char*>(data), bytes, buffer_.get() + used_);
  used_ += bytes;
}

void OutputFile::Commit() {
  Flush();
  int error = 0;
  const bool durable = kept_ == Kept::kDurable && !temporary_.empty();
  if (durable && Sync(file_) != 0) error = errno;
  if (Close(std::exchange(file_, -1)) != 0 && error == 0) error = errno;
  if (error == 0 && !temporary_.empty()) {
    const auto rename = [&] {
      return renameat(folder_, temporary_.c_str(), folder_, name_.c_str());
    };
    if (Again(rename) != 0) {
      error = errno;
    } else {
      temporary_.clear();
      if (durable && SyncFolder(folder_) != 0) error = errno;
    }
  }
  Abandon();
  if (error != 0) Fail(error);
}

bool WriteNewFile(const std::string& path, const std::string& text, bool secret) {
  const int folder = OpenFolder(FolderOf(path));
  const std::string name = NameOf(path);
  const mode_t mode = secret ? 0600 : 0644;
  const int file = folder < 0 ? -1 : CreateNew(folder, name, mode);
  int error = file < 0 ? errno : 0;
  if (file >= 0) {
    if (!WriteWhole(file, text.data(), text.size())) error = errno;
    const auto set_mode = [&] { return fchmod(file, mode); };
    if (error == 0 && (Again(set_mode) != 0 || Sync(file) != 0)) error = errno;
    if (Close(file) != 0 && error == 0) error = errno;
    if (error == 0 && SyncFolder(folder) != 0) error = errno;
    if (error != 0) Remove(folder, name);
  }
  if (folder >= 0) Close(folder);
  if (error == EEXIST) return false;
  if (error != 0) {
    Refuse(path, ErrorText(error) + "; check the folder and the free space");
  }
  return true;
}

}  // namespace octet::port
