#include "ports/linux/pictures/picture.h"

#include <new>
#include <utility>

#include "ports/linux/pictures/jpeg.h"
#include "ports/linux/pictures/orientation.h"
#include "ports/linux/pictures/pnm.h"
#include "ports/linux/pictures/stb.h"

namespace octet::pictures {
namespace {

enum class Format { kJpeg, kPng, kBmp, kPnm, kNone };

Format FormatOf(const uint8_t* bytes, size_t count) {
  if (count >= 2 && bytes[0] == 0xFF && bytes[1] == 0xD8) return Format::kJpeg;
  if (IsPng(bytes, count)) return Format::kPng;
  if (IsBmp(bytes, count)) return Format::kBmp;
  return IsPnm(bytes, count) ? Format::kPnm : Format::kNone;
}

// The largest number of pixels for each byte of a file: a JPEG with one bit for each block, a white
// PNG of one bit for each pixel. Without this limit a header alone could request gigabytes.
uint64_t MostPixelsPerByte(Format format) {
  return format == Format::kJpeg ? 512 : format == Format::kPng ? 8 * 1032 : 8;
}

std::string Size(const Picture& picture) {
  return std::to_string(picture.width) + " x " + std::to_string(picture.height);
}

}  // namespace

struct PictureReader::Memory {
  Format format = Format::kNone;
  int orientation = 1;
  JpegReader jpeg;
  PnmHeader pnm;
  std::vector<uint8_t> stored;  // before it stands upright

  // picture: size and channels as stored.
  bool Header(const uint8_t* bytes, size_t count, Picture* picture, std::string* why);
  bool Pixels(const uint8_t* bytes, size_t count, Picture* picture, std::string* why);
};

PictureReader::PictureReader() = default;
PictureReader::~PictureReader() = default;
PictureReader::PictureReader(PictureReader&&) noexcept = default;
PictureReader& PictureReader::operator=(PictureReader&&) noexcept = default;

bool PictureReader::Memory::Header(const uint8_t* bytes, size_t count, Picture* picture,
                                   std::string* why) {
  format = FormatOf(bytes, count);
  orientation = 1;
  switch (format) {
    case Format::kJpeg:
      if (!jpeg.ReadHeader(bytes, count, why)) return false;
      orientation = jpeg.orientation();
      picture->width = jpeg.width(), picture->height = jpeg.height();
      picture->channels = jpeg.channels();
      break;
    case Format::kPnm:
      if (!ReadPnmHeader(bytes, count, &pnm, why)) return false;
      picture->width = pnm.width, picture->height = pnm.height;
      picture->channels = pnm.channels;
      break;
    case Format::kPng:
      orientation = OrientationOfPng(bytes, count);
      [[fallthrough]];
    case Format::kBmp:
      if (!ReadStbHeader(bytes, count, picture, why)) return false;
      break;
    case Format::kNone:
      *why = count == 0 ? "is empty" : "is not a supported picture (JPEG, PNG, BMP, PPM, PGM)";
      return false;
  }
  if (picture->width == 0 || picture->height == 0) {
    *why = "is a picture without pixels";
    return false;
  }
  const uint64_t pixels = uint64_t{picture->width} * picture->height;
  if (pixels / MostPixelsPerByte(format) > count) {
    *why = "its header gives " + Size(*picture) + " pixels, more than its " +
           std::to_string(count) + " bytes can hold";
    return false;
  }
  return true;
}

bool PictureReader::Memory::Pixels(const uint8_t* bytes, size_t count, Picture* picture,
                                   std::string* why) {
  picture->pixels.resize(size_t{picture->width} * picture->height * picture->channels);
  if (format == Format::kPnm) return ReadPnm(bytes, count, pnm, picture, why);
  if (format != Format::kJpeg) return ReadStb(bytes, count, picture, why);
  if (!jpeg.Decode(why)) return false;
  jpeg.Write(picture->pixels.data());
  return true;
}

bool PictureReader::ReadHeader(const uint8_t* bytes, size_t count, Picture* picture) {
  if (memory_ == nullptr) memory_ = std::make_unique<Memory>();
  why_.clear();
  bool good = memory_->Header(bytes, count, picture, &why_);
  if (good && (picture->width > kMostSide || picture->height > kMostSide)) {
    why_ = "a picture of " + Size(*picture) + " pixels; scale it to sides from 1 to " +
           std::to_string(kMostSide);
    good = false;
  }
  if (good && IsTurned(memory_->orientation)) std::swap(picture->width, picture->height);
  // A reason that says what to do has two parts.
  if (!good && why_.find(';') == std::string::npos) why_ += "; replace or remove it";
  return good;
}

bool PictureReader::Read(const uint8_t* bytes, size_t count, Picture* picture, uint32_t most_side) {
  if (!ReadHeader(bytes, count, picture)) return false;
  if (picture->width > most_side || picture->height > most_side) {
    why_ = "a picture of " + Size(*picture) + " pixels; scale it to sides from 1 to " +
           std::to_string(most_side);
    return false;
  }
  const int orientation = memory_->orientation;
  if (IsTurned(orientation)) std::swap(picture->width, picture->height);
  bool good = false;
  try {
    good = memory_->Pixels(bytes, count, picture, &why_);
    if (good && orientation != 1) {
      memory_->stored.swap(picture->pixels);
      if (IsTurned(orientation)) std::swap(picture->width, picture->height);
      StandUpright(memory_->stored.data(), orientation, picture);
    }
  } catch (const std::bad_alloc&) {
    why_ =
        "a picture of " + Size(*picture) + " pixels needs more memory than is free; scale it down";
    good = false;
  }
  if (!good && why_.find(';') == std::string::npos) why_ += "; replace or remove it";
  return good;
}

}  // namespace octet::pictures
