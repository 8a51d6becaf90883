#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"
#include "io/tensor_source.h"

namespace jogak {
namespace {

void check_entry(const std::string& path, const TensorSource& tensor) {
  const std::string& name = tensor.name;
  const std::string fault = tensor_name_fault(name);
  ensure<Error>(fault.empty(), path, ": cannot save ", fault);
  ensure<Error>(name != kMetadataKey, path, ": no tensor may be called ", kMetadataKey);
  ensure<Error>(utf8::first_invalid(name) == std::string::npos, path, ": tensor name ",
                shown_name(name), " is not UTF-8");
  ensure<Error>(tensor.make != nullptr, path, ": tensor ", shown_name(name), " has no values");
}

// As the reference writer lays them out: wide types first, so that every tensor is aligned for
// its type, and by name within a type.
std::vector<const TensorSource*> in_file_order(const std::string& path,
                                               const TensorSources& tensors) {
  ensure<Error>(tensors.size() <= kMaxTensorsPerFile, path, ": ", tensors.size(),
                " tensors, wanted at most ", kMaxTensorsPerFile);
  std::vector<const TensorSource*> order;
  for (const TensorSource& tensor : tensors) {
    check_entry(path, tensor);
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(),
            [](const TensorSource* a, const TensorSource* b) { return a->name < b->name; });
  for (size_t i = 1; i < order.size(); ++i)
    ensure<Error>(order[i - 1]->name != order[i]->name, path, ": two tensors called ",
                  shown_name(order[i]->name));
  const auto rank = [](const TensorSource* tensor) {
    return layout_rank(file_dtype_of(tensor->dtype));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const TensorSource* a, const TensorSource* b) { return rank(a) < rank(b); });
  return order;
}

std::string header_of(const std::vector<const TensorSource*>& order, const Metadata& metadata) {
  std::string out = "{";
  const auto next = [&] {
    if (out.size() > 1) out += ',';
  };
  if (!metadata.empty()) {
    Json object = Json::object();
    for (const auto& [key, value] : metadata) object.set(key, value);
    out += json_quote(kMetadataKey) + ':' + object.dump();
  }
  size_t at = 0;
  for (const TensorSource* tensor : order) {
    next();
    out += json_quote(tensor->name) + ":{\"dtype\":\"" + file_dtype_of(tensor->dtype).name +
           "\",\"shape\":" + Json::list(tensor->shape).dump() + ",\"data_offsets\":[" +
           std::to_string(at) + ',' + std::to_string(at + tensor->bytes()) + "]}";
    at += tensor->bytes();
  }
  out += '}';
  out.append((8 - out.size() % 8) % 8, ' ');
  return out;
}

}  // namespace

TensorSources sources_of(const NamedTensors& tensors) {
  TensorSources out;
  for (const auto& [name, value] : tensors) {
    if (!value.defined())
      out.push_back({.name = name});
    else
      out.push_back({name, value.dtype(), value.shape(), [made = value] { return made; }});
  }
  return out;
}

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata) {
  save_safetensors(path, sources_of(tensors), metadata);
}

void save_safetensors(const std::string& path, const TensorSources& tensors,
                      const Metadata& metadata, const WroteTensor& wrote) {
  const auto order = in_file_order(path, tensors);
  const std::string header = header_of(order, metadata);
  ensure<Error>(header.size() <= kMaxHeaderBytes, path, ": the header would take ", header.size(),
                " bytes, wanted at most ", kMaxHeaderBytes);
  write_file_with(path, [&](const Sink& sink) {
    std::string length;
    for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i));
    sink(length);
    sink(header);
    for (const TensorSource* tensor : order) {  // one host copy at a time
      const Tensor host = to_device(dense(tensor->make()), cpu_device());
      ensure<Error>(host.dtype() == tensor->dtype && host.shape() == tensor->shape, path,
                    ": tensor ", shown_name(tensor->name), " came out as ", host.dtype(), " ",
                    host.shape(), ", wanted ", tensor->dtype, " ", tensor->shape);
      sink({static_cast<const char*>(host.raw()), host.bytes()});
      if (wrote) wrote(*tensor);
    }
  });
}

}  // namespace jogak
