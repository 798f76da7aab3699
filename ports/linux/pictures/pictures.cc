#include "ports/linux/pictures/pictures.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "ports/linux/output/error.h"

namespace octet::pictures {
namespace {

namespace fs = std::filesystem;

// lost: a picture's name that is a link to nothing. False, with *error set, where a folder cannot
// be read.
bool Collect(const fs::path& folder, std::vector<std::string>* files, std::string* lost,
             std::string* error) {
  std::error_code code;
  std::vector<fs::path> folders;
  const size_t before = files->size();
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::error_code gone;  // a link without a target
    const fs::path& path = at->path();
    if (path.filename().string()[0] == '.') continue;
    if (at->is_directory(gone)) {
      if (!at->is_symlink(gone)) folders.push_back(path);
    } else if (at->is_regular_file(gone) && HasPictureName(path.string())) {
      files->push_back(path.string());
    } else if (at->is_symlink(gone) && !at->exists(gone) && HasPictureName(path.string())) {
      *lost = path.string();
    }
  }
  if (code) {
    *error = folder.string() + ": cannot be listed: " + port::ErrorText(code.value()) +
             "; check its permissions";
    return false;
  }
  if (files->size() != before) return true;
  return std::all_of(folders.begin(), folders.end(),
                     [&](const fs::path& child) { return Collect(child, files, lost, error); });
}

}  // namespace

bool HasPictureName(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::istringstream known(kExtensions);
  for (std::string word; known >> word;) {
    if (extension == word) return true;
  }
  return false;
}

Listing ListPictures(const std::string& path) {
  Listing listing;
  std::string lost;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) {
    listing.error = path + ": no such file or folder; check the path";
  } else if (!fs::is_directory(status)) {
    if (HasPictureName(path)) {
      listing.files.push_back(path);
    } else {
      listing.error =
          path + ": the name is not a picture's (" + kExtensions + "); rename or convert it";
    }
  } else if (!Collect(path, &listing.files, &lost, &listing.error)) {
    listing.files.clear();
  } else if (listing.files.empty() && !lost.empty()) {
    listing.error = lost + ": a link to a missing file, and " + path +
                    " has no other pictures; mount what it links to, or name another folder";
  } else if (listing.files.empty()) {
    listing.error = path + ": has no pictures (" + kExtensions + "); name another folder";
  }
  // Directory order differs between machines.
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

}  // namespace octet::pictures
