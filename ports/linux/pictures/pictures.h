// Which files are pictures: one rule for octet, octet-run and octet-camera.
//
// A folder stands for its files named .jpg .jpeg .png .bmp .ppm .pgm, in any case; names that begin
// with a dot do not count. Where it has none it stands for those of its subfolders (one folder a
// class, as data sets are often kept); links to folders are not followed. They come in the order of
// their paths, compared byte by byte. Whether a file really holds a picture is seen when it is
// read.
#ifndef OCTET_PORTS_LINUX_PICTURES_PICTURES_H_
#define OCTET_PORTS_LINUX_PICTURES_PICTURES_H_

#include <string>
#include <vector>

namespace octet::pictures {

inline constexpr const char* kExtensions = ".jpg .jpeg .png .bmp .ppm .pgm";

bool HasPictureName(const std::string& path);

struct Listing {
  std::vector<std::string> files;
  std::string error;  // one line; empty where there are files
};
// Of a folder, or of one file with a picture's name.
Listing ListPictures(const std::string& path);

}  // namespace octet::pictures

#endif  // OCTET_PORTS_LINUX_PICTURES_PICTURES_H_
