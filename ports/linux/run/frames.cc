#include "ports/linux/run/frames.h"

#include <algorithm>
#include <cstdio>

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

// Samples of shape `dims` in an array [N * dims[0], dims[1], ...]; 0 where it does not fit.
uint64_t CountSamples(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& dims) {
  if (dims.empty() || shape.size() != dims.size() || shape[0] % dims[0] != 0 ||
      !std::equal(shape.begin() + 1, shape.end(), dims.begin() + 1)) {
    return shape == dims ? 1 : 0;
  }
  return shape[0] / dims[0];
}

}  // namespace

Inputs::Inputs(const std::vector<std::string>& paths, const Model& model) {
  const BlobView& blob = model.blob();
  if (paths.size() != blob.model->input_count) {
    throw InputError("--input names " + std::to_string(paths.size()) + " files; the model has " +
                     std::to_string(blob.model->input_count) + " inputs");
  }
  for (uint32_t i = 0; i < blob.model->input_count; ++i) {
    const blob::InputRecord& input = blob.inputs[i];
    const std::vector<uint64_t> dims = Dims(input.dims, input.rank);
    Source source{NpyArray(paths[i]), 0, 0, 0, 0, 1};
    const std::vector<uint64_t>& shape = source.array.shape();
    const std::string name = StringAt(blob, input.name);
    uint64_t count = 0;
    if (source.array.type() == NpyType::kUint8) {
      if (input.is_image == 0) {
        throw InputError(paths[i] + ": uint8, but input " + name +
                         " takes no pictures; give float32 " + ShapeText(dims));
      }
      const bool grey = shape.size() == 3;
      const uint64_t channels = grey ? 1 : (shape.size() == 4 ? shape[3] : 0);
      if ((channels != 1 && channels != 3) || shape[1] - 1 >= kMaxPictureSize ||
          shape[2] - 1 >= kMaxPictureSize) {
        throw InputError(paths[i] + ": shape " + ShapeText(shape) +
                         " holds no pictures; give uint8 [N,H,W,3] or [N,H,W,1]");
      }
      PlanView plan;
      ViewPlan(blob, 0, &plan);  // checked by the model
      if (channels == 3 && plan.tensors[PlanInputTensor(blob, *plan.record, i)].dims[3] == 1) {
        std::fprintf(stderr,
                     "octet-run: warning: %s: colour pictures for a grey input are made grey\n",
                     paths[i].c_str());
      }
      count = shape[0];
      source.height = static_cast<uint32_t>(shape[1]);
      source.width = static_cast<uint32_t>(shape[2]);
      source.channels = static_cast<uint32_t>(channels);
      source.sample_bytes = size_t{source.height} * source.width * source.channels;
    } else {
      count = CountSamples(shape, dims);
      if (count == 0 && source.array.element_count() != 0) {
        throw InputError(paths[i] + ": shape " + ShapeText(shape) + " does not fit input " + name +
                         "; give float32 " + ShapeText(dims) + ", samples along the first axis");
      }
      for (const uint64_t dim : dims) source.element_count *= static_cast<size_t>(dim);
      source.sample_bytes = source.element_count * sizeof(float);
    }
    if (count == 0) throw InputError(paths[i] + ": no samples; give at least one");
    if (i != 0 && count != sample_count_) {
      throw InputError(paths[i] + ": " + std::to_string(count) + " samples, but " + paths[0] +
                       " has " + std::to_string(sample_count_) + "; give as many");
    }
    sample_count_ = count;
    sources_.push_back(std::move(source));
  }
  if (sources_.empty()) sample_count_ = 1;
}

void Inputs::Set(octet_session* session, uint64_t sample) const {
  for (uint32_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    const uint8_t* data = source.array.bytes() + sample * source.sample_bytes;
    octet_status status;
    if (source.array.type() == NpyType::kUint8) {
      status = octet_set_input_image(session, i, data, source.height, source.width, source.channels,
                                     size_t{source.width} * source.channels);
    } else {
      status = octet_set_input_f32(session, i, reinterpret_cast<const float*>(data),
                                   source.element_count);
    }
    if (status.code != OCTET_OK) {
      throw InputError(source.array.path() + ": " + octet_code_name(status.code) +
                       "; check its shape");
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
