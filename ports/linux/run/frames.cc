#include "ports/linux/run/frames.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#include "ports/linux/pictures/pictures.h"

namespace octet::port {
namespace {

std::string ShapeText(const std::vector<uint64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  }
  return text + "]";
}

std::vector<uint64_t> Dims(const uint32_t* dims, uint32_t rank) {
  return {dims, dims + rank};
}

// Samples of shape `dims` in an array [N * dims[0], dims[1], ...], or [N] and [N, 1] of an input of
// rank 0; 0 where it does not fit.
uint64_t CountSamples(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& dims) {
  const bool is_list = shape.size() == 1 || (shape.size() == 2 && shape[1] == 1);
  if (dims.empty() && is_list) return shape[0];
  if (dims.empty() || shape.size() != dims.size() || shape[0] % dims[0] != 0 ||
      !std::equal(shape.begin() + 1, shape.end(), dims.begin() + 1)) {
    return shape == dims ? 1 : 0;
  }
  return shape[0] / dims[0];
}

bool IsPictures(const std::string& path) {
  struct stat info;
  return pictures::HasPictureName(path) ||
         (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode));
}

void WarnOfColour(const Model& model, uint32_t input, uint64_t channels, const std::string& path) {
  PlanView plan;
  ViewPlan(model.blob(), model.plan(), &plan);  // checked by the model
  const uint32_t tensor = PlanInputTensor(model.blob(), *plan.record, input);
  if (channels != 3 || plan.tensors[tensor].dims[3] != 1) {
    return;
  }
  std::fprintf(stderr,
               "octet-run: warning: %s: colour pictures are converted to grey, as the model's "
               "input is grey\n",
               path.c_str());
}

}  // namespace

Inputs::Inputs(const std::vector<std::string>& paths, const Model& model) {
  const BlobView& blob = model.blob();
  const uint32_t count = blob.model->input_count;
  const bool all_pictures = !paths.empty() && std::all_of(paths.begin(), paths.end(), IsPictures);
  if (paths.empty() && count != 0) {
    throw InputError("no --input given; name pictures, a folder of pictures or a .npy file");
  }
  if (paths.size() != count && !(count == 1 && all_pictures)) {
    throw InputError("--input names " + std::to_string(paths.size()) + " files, the model has " +
                     std::to_string(count) + (count == 1 ? " input" : " inputs") +
                     "; give one .npy file per input" +
                     (count == 1 ? ", or only pictures and folders" : ""));
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (all_pictures && count == 1) {
      sources_.push_back(PictureSource(paths, blob, i));
    } else {
      sources_.push_back(IsPictures(paths[i]) ? PictureSource({paths[i]}, blob, i)
                                              : ArraySource(paths[i], blob, i));
    }
    const uint64_t samples = sources_.back().sample_count;
    if (i != 0 && samples != sample_count_) {
      throw InputError(paths[i] + ": " + std::to_string(samples) + " samples, but " + paths[0] +
                       " has " + std::to_string(sample_count_) + "; give the same number");
    }
    sample_count_ = samples;
  }
  if (sources_.empty()) sample_count_ = 1;
  Load(0);
  for (uint32_t i = 0; i < count; ++i) {
    const Source& source = sources_[i];
    const uint64_t channels = source.array                                ? source.layout.channels
                              : source.frame.format == OCTET_PIXELS_RGB24 ? 3
                                                                          : 1;
    WarnOfColour(model, i, channels, paths[i]);
  }
}

Inputs::Source Inputs::ArraySource(const std::string& path, const BlobView& blob, uint32_t i) {
  const blob::InputRecord& input = blob.inputs[i];
  const std::vector<uint64_t> dims = Dims(input.dims, input.rank);
  Source source;
  source.array.emplace(path);
  const std::vector<uint64_t>& shape = source.array->shape();
  const std::string name = StringAt(blob, input.name);
  if (source.array->type() == NpyType::kUint8) {
    if (input.is_image == 0) {
      throw InputError(path + ": uint8, but input " + name +
                       " does not take pictures; give float32 " + ShapeText(dims));
    }
    source.layout = pictures::FindPictures(shape);
    if (source.layout.channels == 0) {
      throw InputError(path + ": shape " + ShapeText(shape) +
                       " cannot be pictures; give uint8 [N,H,W,C], [N,C,H,W], [N,H,W] or [H,W,C] "
                       "with 1 or 3 channels");
    }
    source.sample_count = source.layout.count;
  } else {
    source.sample_count = CountSamples(shape, dims);
    if (source.sample_count == 0 && source.array->element_count() != 0) {
      throw InputError(path + ": shape " + ShapeText(shape) + " does not fit input " + name +
                       "; give float32 " + ShapeText(dims) + ", samples along the first axis");
    }
    size_t element_count = 1;
    for (const uint64_t dim : dims) element_count *= static_cast<size_t>(dim);
    source.values.resize(element_count);
  }
  if (source.sample_count == 0) throw InputError(path + ": no samples; give at least one");
  return source;
}

Inputs::Source Inputs::PictureSource(const std::vector<std::string>& paths, const BlobView& blob,
                                     uint32_t i) {
  const blob::InputRecord& input = blob.inputs[i];
  if (input.is_image == 0) {
    throw InputError(paths[0] + ": input " + StringAt(blob, input.name) +
                     " does not take pictures; give float32 " +
                     ShapeText(Dims(input.dims, input.rank)) + " in a .npy file");
  }
  Source source{};
  for (const std::string& path : paths) {
    const pictures::Listing listing = pictures::ListPictures(path);
    if (!listing.error.empty()) throw InputError(listing.error);
    source.pictures.insert(source.pictures.end(), listing.files.begin(), listing.files.end());
  }
  source.sample_count = source.pictures.size();
  return source;
}

bool Inputs::of_pictures() const {
  return !sources_.empty() && std::none_of(sources_.begin(), sources_.end(),
                                           [](const Source& s) { return s.array.has_value(); });
}

void Inputs::LoadArray(uint64_t sample, Source* source) {
  const NpyArray& array = *source->array;
  if (array.type() != NpyType::kUint8) {
    array.CopyFloats(sample * source->values.size(), source->values.size(), source->values.data());
    return;
  }
  const pictures::PicturesOfArray& layout = source->layout;
  if (!layout.planar) return;
  const size_t plane = size_t{layout.height} * layout.width, channels = layout.channels;
  source->interleaved.resize(plane * channels);
  const uint8_t* from = array.bytes() + sample * plane * channels;
  for (size_t c = 0; c < channels; ++c) {
    for (size_t p = 0; p < plane; ++p) source->interleaved[p * channels + c] = from[c * plane + p];
  }
}

void Inputs::Load(uint64_t sample) {
  loaded_ = sample;
  for (Source& source : sources_) {
    if (source.array) {
      LoadArray(sample, &source);
      continue;
    }
    if (source.frame.name == source.pictures[sample]) continue;
    const MappedFile file(source.pictures[sample]);
    if (!decoder_.Decode(file.data(), file.bytes(), &source.frame)) {
      throw InputError(file.path() + ": " + decoder_.why());
    }
    source.frame.name = file.path();
  }
}

void Inputs::Set(octet_session* session) const {
  for (uint32_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    octet_status status;
    if (!source.array) {
      const octet_frame view = source.frame.View();
      status = octet_set_input_frame(session, i, &view);
    } else if (source.array->type() == NpyType::kUint8) {
      const pictures::PicturesOfArray& layout = source.layout;
      const size_t row_bytes = size_t{layout.width} * layout.channels;
      const uint8_t* pixels = layout.planar
                                  ? source.interleaved.data()
                                  : source.array->bytes() + loaded_ * row_bytes * layout.height;
      status = octet_set_input_image(session, i, pixels, layout.height, layout.width,
                                     layout.channels, row_bytes);
    } else {
      status = octet_set_input_f32(session, i, source.values.data(), source.values.size());
    }
    if (status.code != OCTET_OK) {
      throw InputError((source.array ? source.array->path() : source.frame.name) + ": " +
                       octet_code_name(status.code) + "; check its shape");
    }
  }
}

Outputs::Outputs(const std::string& path, const Model& model, uint64_t sample_count) {
  const BlobView& blob = model.blob();
  for (uint32_t i = 0; i < blob.model->output_count; ++i) {
    const blob::OutputRecord& output = blob.outputs[i];
    values_.emplace_back(output.element_count);
    if (path.empty()) continue;
    std::string name = path;
    if (blob.model->output_count > 1) {
      const bool has_suffix = name.ends_with(".npy");
      if (has_suffix) name.resize(name.size() - 4);
      name += "." + std::to_string(i) + ".npy";
    }
    std::vector<uint64_t> shape = Dims(output.dims, output.rank);
    if (shape.empty()) shape.push_back(1);
    shape[0] *= sample_count;
    files_.emplace_back(name);
    const std::string header = NpyHeader(shape);
    files_.back().Write(header.data(), header.size());
  }
}

void Outputs::Write(const octet_session* session) {
  for (uint32_t i = 0; i < values_.size(); ++i) {
    std::vector<float>& values = values_[i];
    octet_get_output(session, i, values.data(), values.size());
    if (!files_.empty()) files_[i].Write(values.data(), values.size() * sizeof(float));
  }
}

void Outputs::Commit() {
  for (OutputFile& file : files_) file.Commit();
}

}  // namespace octet::port
