// Orientation, maxima and plain files of the formats without compression.
#include <array>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/pictures/picture.h"
#include "tests/converter/images/images_support.h"

namespace octet::images {
namespace {

using pictures::Picture;
using pictures::PictureReader;

std::string Read(const std::string& bytes, Picture* picture) {
  PictureReader reader;
  Picture header;
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const bool good = reader.Read(data, bytes.size(), picture);
  const std::string why = good ? "" : reader.why();
  if (good) {
    EXPECT_TRUE(reader.ReadHeader(data, bytes.size(), &header));
    EXPECT_EQ(header.width, picture->width);
    EXPECT_EQ(header.height, picture->height);
    EXPECT_EQ(header.channels, picture->channels);
  }
  return why;
}

std::string Number(uint32_t value, int bytes, bool little) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    const int shift = 8 * (little ? i : bytes - 1 - i);
    text += static_cast<char>(value >> shift);
  }
  return text;
}

// A directory of two entries, the second of which is the orientation.
std::string Exif(uint32_t orientation, bool little, uint32_t type = 3) {
  const int width = type == 1 ? 1 : type == 3 ? 2 : 4;
  return std::string(little ? "II" : "MM") + Number(42, 2, little) + Number(8, 4, little) +
         Number(2, 2, little) + Number(0x010F, 2, little) + Number(2, 2, little) +
         Number(1, 4, little) + std::string(4, 'x') + Number(0x0112, 2, little) +
         Number(type, 2, little) + Number(1, 4, little) + Number(orientation, width, little) +
         std::string(static_cast<size_t>(4 - width), '\0') + Number(0, 4, little);
}

// Where pixel (x, y) of a stored picture of w x h stands upright.
std::pair<size_t, size_t> Upright(int orientation, size_t x, size_t y, size_t w, size_t h) {
  switch (orientation) {
    case 2:
      return {w - 1 - x, y};
    case 3:
      return {w - 1 - x, h - 1 - y};
    case 4:
      return {x, h - 1 - y};
    case 5:
      return {y, x};
    case 6:
      return {h - 1 - y, x};
    case 7:
      return {h - 1 - y, w - 1 - x};
    case 8:
      return {y, w - 1 - x};
    default:
      return {x, y};
  }
}

// Of a PNG chunk (RFC 2083, 3.4): the polynomial 0xedb88320, bit by bit.
uint32_t Crc(const std::string& bytes) {
  uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

TEST(Pictures, StandUprightAsExifSays) {
  constexpr uint32_t kWidth = 40, kHeight = 24;
  std::vector<uint8_t> rgb(size_t{kWidth} * kHeight * 3), jpeg, png;
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i / 5 + i % 3 * 40);
  port::EncodeJpeg(rgb.data(), kWidth, kHeight, 95, &jpeg);
  port::EncodePng(rgb.data(), kWidth, kHeight, &png);
  const std::string plain_jpeg(jpeg.begin(), jpeg.end()), plain_png(png.begin(), png.end());
  for (const bool of_jpeg : {true, false}) {
    const std::string& plain = of_jpeg ? plain_jpeg : plain_png;
    Picture stored, got;
    ASSERT_EQ(Read(plain, &stored), "");
    for (const bool little : {true, false}) {
      for (const uint32_t type : {1u, 3u, 4u}) {
        for (int orientation = 0; orientation <= 9; ++orientation) {
          const std::string exif = Exif(static_cast<uint32_t>(orientation), little, type);
          const std::string segment =
              of_jpeg ? "\xFF\xE1" + Number(static_cast<uint32_t>(exif.size()) + 8, 2, false) +
                            std::string("Exif\0\0", 6) + exif
                      : Number(static_cast<uint32_t>(exif.size()), 4, false) + "eXIf" + exif +
                            Number(Crc("eXIf" + exif), 4, false);
          std::string bytes = plain;
          bytes.insert(of_jpeg ? 2 : 33, segment);  // behind the first marker, the first chunk
          ASSERT_EQ(Read(bytes, &got), "");
          const int meant = orientation > 8 ? 1 : orientation;
          ASSERT_EQ(got.width, meant >= 5 ? kHeight : kWidth) << orientation;
          ASSERT_EQ(got.height, meant >= 5 ? kWidth : kHeight) << orientation;
          for (size_t y = 0; y < kHeight; ++y) {
            for (size_t x = 0; x < kWidth; ++x) {
              const auto [to_x, to_y] = Upright(meant, x, y, kWidth, kHeight);
              for (size_t c = 0; c < 3; ++c) {
                ASSERT_EQ(got.pixels[(to_y * got.width + to_x) * 3 + c],
                          stored.pixels[(y * kWidth + x) * 3 + c])
                    << orientation << ": " << x << ", " << y;
              }
            }
          }
        }
      }
    }
    // Cut and changed directories say nothing, or something else; they do no harm.
    const std::string exif = Exif(6, true);
    for (size_t at = 0; at < exif.size(); ++at) {
      std::string bad = exif;
      bad[at] = static_cast<char>(bad[at] ^ 0x81);
      std::string bytes = plain_jpeg;
      bytes.insert(2, "\xFF\xE1" + Number(static_cast<uint32_t>(bad.size()) + 8, 2, false) +
                          std::string("Exif\0\0", 6) + bad);
      EXPECT_EQ(Read(bytes, &got), "");
      bytes = plain_jpeg;
      bytes.insert(2, "\xFF\xE1" + Number(static_cast<uint32_t>(at) + 8, 2, false) +
                          std::string("Exif\0\0", 6) + exif.substr(0, at));
      EXPECT_EQ(Read(bytes, &got), "");
    }
  }
}

TEST(Pictures, EveryMaximumOfPgmAndPpm) {
  for (const uint32_t maximum : {1u, 2u, 7u, 100u, 254u, 255u, 256u, 1000u, 1023u, 4095u, 65535u}) {
    const std::array values = {0u, 1u, maximum / 3, maximum / 2, maximum - 1, maximum};
    for (const char* magic : {"P5", "P6", "P2", "P3"}) {
      const bool colour = magic[1] == '6' || magic[1] == '3', plain = magic[1] < '5';
      std::string bytes = std::string(magic) + "\n# by hand\n" + (colour ? "2" : "6") + " 1\n" +
                          std::to_string(maximum) + "\n";
      for (const uint32_t value : values) {
        bytes += plain ? std::to_string(value) + "\n" : Number(value, maximum > 255 ? 2 : 1, false);
      }
      Picture got;
      ASSERT_EQ(Read(bytes, &got), "") << magic << ' ' << maximum;
      ASSERT_EQ(got.pixels.size(), values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(got.pixels[i], (values[i] * 510 + maximum) / (2 * maximum))
            << magic << ' ' << values[i] << " of " << maximum;
      }
      const size_t shorter = plain ? 1 + std::to_string(maximum).size() : 1;
      EXPECT_NE(Read(bytes.substr(0, bytes.size() - shorter), &got).find("truncated"),
                std::string::npos);
    }
  }
  Picture got;
  EXPECT_NE(Read("P5 1 1 0\nx", &got).find("maximum"), std::string::npos);
  EXPECT_NE(Read("P5 1 1 65536\nxx", &got).find("maximum"), std::string::npos);
  EXPECT_NE(Read("P5 1 1 100\n\x65", &got).find("above the maximum"), std::string::npos);
  EXPECT_NE(Read("P2 1 1 9 10", &got).find("above the maximum"), std::string::npos);
  EXPECT_NE(Read("P5 1", &got).find("header"), std::string::npos);
  EXPECT_NE(Read("P5x1 1 255 x", &got), "");
  EXPECT_NE(Read("P4 8 1 x", &got).find("not a supported picture"), std::string::npos);
  EXPECT_NE(Read("P5 60000 60000 255\nx", &got).find("header gives"), std::string::npos);
}

TEST(Pictures, NothingIsNoPicture) {
  Picture got;
  EXPECT_EQ(Read("", &got), "is empty; replace or remove it");
  EXPECT_NE(Read("GIF89a", &got).find("not a supported picture"), std::string::npos);
}

// Board and converter read with one reader; here that both use it.
TEST_F(ImagesTest, ConverterAndBoardSayTheSame) {
  std::vector<uint8_t> rgb(16 * 16 * 3, 90), jpeg;
  port::EncodeJpeg(rgb.data(), 16, 16, 95, &jpeg);
  const std::string whole(jpeg.begin(), jpeg.end());
  for (const std::string& bytes :
       {whole, whole.substr(0, whole.size() - 20), whole.substr(0, 50), std::string("P5 2 1 99 ab"),
        std::string("P5 2 1 99 \x7f\x01"), std::string("BM"), std::string()}) {
    port::PictureDecoder decoder;
    port::FrameBuffer frame;
    const bool good =
        decoder.Decode(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), &frame);
    const auto path = Write("a.jpg", bytes);
    Image image;
    const std::string refusal = Refusal([&] { image = DecodePicture(path); });
    EXPECT_EQ(refusal, good ? "" : path.string() + ": " + decoder.why());
    if (good) {
      EXPECT_EQ(image.pixels, frame.bytes);
    }
  }
}

}  // namespace
}  // namespace octet::images
