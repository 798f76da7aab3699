#include "ports/linux/run/sound.h"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ports/linux/output/whole.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {
namespace {

constexpr uint32_t kUsualRate = 16000;
constexpr const char* kOtherFormats[] = {".flac", ".mp3",  ".ogg", ".oga", ".opus", ".m4a", ".aac",
                                         ".aif",  ".aiff", ".wma", ".amr", ".au",   ".w64"};

bool EndsWith(const std::string& path, const char* end) {
  const size_t length = std::char_traits<char>::length(end);
  return path.size() >= length && strcasecmp(path.c_str() + path.size() - length, end) == 0;
}

// The command that makes a file that can be read of one that cannot.
std::string Conversion(const std::string& path, uint32_t rate) {
  std::string to = path.substr(path.rfind('/') + 1);
  to = to.substr(0, to.rfind('.')) + ".mono.wav";
  return "ffmpeg -i " + ShellWord(path) + " -ac 1 -ar " + std::to_string(rate) +
         " -c:a pcm_s16le " + ShellWord(to);
}

}  // namespace

bool IsSound(const std::string& path) {
  return path == "-" || EndsWith(path, ".wav") ||
         std::any_of(std::begin(kOtherFormats), std::end(kOtherFormats),
                     [&](const char* end) { return EndsWith(path, end); });
}

Sound::Sound(const std::string& path, const Model& model, const SoundOptions& options)
    : path_(path), rate_(options.rate) {
  const BlobView& blob = model.blob();
  if (blob.model->input_count != 1) {
    throw InputError(path + ": a sound is one input, and the model has " +
                     std::to_string(blob.model->input_count) +
                     "; make the others constants or states at conversion (octet convert --bind, "
                     "--state)");
  }
  const blob::InputRecord& input = blob.inputs[0];
  if (input.is_image != 0) {
    throw InputError(path +
                     ": the model takes pictures, not sounds; give pictures, or float32 "
                     "numbers in a .npy file");
  }
  uint64_t window = 1;
  for (uint32_t i = 0; i < input.rank; ++i) window *= input.dims[i];
  hop_ = options.hop != 0 ? options.hop : static_cast<uint32_t>(window);
  if (hop_ > window) {
    throw InputError("--hop " + std::to_string(hop_) + ": the model's window has " +
                     std::to_string(window) + " samples; give at most that many");
  }
  values_.assign(window, 0.0f);
  if (path == "-") {
    if (rate_ == 0) rate_ = kUsualRate;
    bytes_.resize(size_t{hop_} * 2);
    return;
  }
  file_.emplace(path);
  wav_ = ParseWav(file_->data(), file_->bytes());
  const uint32_t rate = rate_ != 0 ? rate_ : wav_.rate != 0 ? wav_.rate : kUsualRate;
  if (wav_.why.empty() && wav_.rate != rate) {
    wav_.why = "its rate is " + std::to_string(wav_.rate) + " Hz";
  }
  if (!wav_.why.empty()) {
    throw InputError(path + ": " + wav_.why + "; convert it: " + Conversion(path, rate));
  }
  rate_ = rate;
}

std::optional<uint64_t> Sound::window_count() const {
  if (!file_) return std::nullopt;
  return (wav_.count + hop_ - 1) / hop_;
}

double Sound::end_s() const {
  return static_cast<double>(next_) * hop_ / rate_;
}

size_t Sound::Read(size_t count) {
  if (file_) {
    const auto there = static_cast<size_t>(std::min<uint64_t>(count, wav_.count - read_));
    const uint8_t* from = wav_.samples + read_ * 2;
    bytes_.assign(from, from + there * 2);
    read_ += there;
    return there;
  }
  const size_t bytes = ReadWhole(STDIN_FILENO, bytes_.data(), count * 2);
  if (bytes < count * 2 && errno != 0) {
    throw InputError("stdin: " + ErrorText(errno) +
                     "; give it 16-bit samples: arecord -t raw -f S16_LE -c 1 -r " +
                     std::to_string(rate_) + " | octet-run MODEL --input -");
  }
  return bytes / 2;  // half a sample at the end is none
}

bool Sound::Next() {
  if (ended_) return false;
  const size_t there = Read(hop_);
  if (there < hop_) ended_ = true;
  if (there == 0) {
    if (next_ == 0) throw InputError("stdin: no samples; is the program before it running?");
    return false;
  }
  std::move(values_.begin() + hop_, values_.end(), values_.begin());
  float* to = values_.data() + values_.size() - hop_;
  for (size_t i = 0; i < there; ++i) {
    const auto sample = static_cast<int16_t>(bytes_[2 * i] | bytes_[2 * i + 1] << 8);
    to[i] = static_cast<float>(sample) / 32768.0f;
  }
  std::fill(to + there, to + hop_, 0.0f);
  missing_ = static_cast<uint32_t>(hop_ - there);
  ++next_;
  return true;
}

void Sound::Set(octet_session* session) const {
  const octet_status status = octet_set_input_f32(session, 0, values_.data(), values_.size());
  if (status.code != OCTET_OK) {
    throw InputError(path_ + ": " + octet_code_name(status.code) + "; check the model's input");
  }
}

}  // namespace octet::port
