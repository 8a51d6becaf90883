#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"
#include "io/safetensors.h"

namespace jogak {
namespace {

using Entry = NamedTensors::value_type;

void check_entry(const std::string& path, const std::string& name, const Tensor& tensor) {
  const std::string fault = tensor_name_fault(name);
  ensure<Error>(fault.empty(), path, ": cannot save ", fault);
  ensure<Error>(name != kMetadataKey, path, ": no tensor may be called ", kMetadataKey);
  ensure<Error>(utf8::first_invalid(name) == std::string::npos, path, ": tensor name ",
                shown_name(name), " is not UTF-8");
  ensure<Error>(tensor.defined(), path, ": tensor ", shown_name(name), " has no values");
}

// As the reference writer lays them out: wide types first, so that every tensor is aligned for
// its type, and by name within a type.
std::vector<const Entry*> in_file_order(const std::string& path, const NamedTensors& tensors) {
  ensure<Error>(tensors.size() <= kMaxTensorsPerFile, path, ": ", tensors.size(),
                " tensors, wanted at most ", kMaxTensorsPerFile);
  std::vector<const Entry*> order;
  for (const Entry& entry : tensors) {
    check_entry(path, entry.first, entry.second);
    order.push_back(&entry);
  }
  const auto by_name = [](const Entry* a, const Entry* b) { return a->first < b->first; };
  std::sort(order.begin(), order.end(), by_name);
  for (size_t i = 1; i < order.size(); ++i)
    ensure<Error>(order[i - 1]->first != order[i]->first, path, ": two tensors called ",
                  shown_name(order[i]->first));
  const auto rank = [](const Entry* entry) {
    return layout_rank(file_dtype_of(entry->second.dtype()));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Entry* a, const Entry* b) { return rank(a) < rank(b); });
  return order;
}

std::string header_of(const std::vector<const Entry*>& order, const Metadata& metadata) {
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
  for (const Entry* entry : order) {
    const Tensor& tensor = entry->second;
    next();
    out += json_quote(entry->first) + ":{\"dtype\":\"" + file_dtype_of(tensor.dtype()).name +
           "\",\"shape\":" + Json::list(tensor.shape()).dump() + ",\"data_offsets\":[" +
           std::to_string(at) + ',' + std::to_string(at + tensor.bytes()) + "]}";
    at += tensor.bytes();
  }
  out += '}';
  out.append((8 - out.size() % 8) % 8, ' ');
  return out;
}

}  // namespace

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata) {
  const auto order = in_file_order(path, tensors);
  const std::string header = header_of(order, metadata);
  ensure<Error>(header.size() <= kMaxHeaderBytes, path, ": the header would take ", header.size(),
                " bytes, wanted at most ", kMaxHeaderBytes);
  write_file_with(path, [&](const Sink& sink) {
    std::string length;
    for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i));
    sink(length);
    sink(header);
    for (const Entry* entry : order) {  // one host copy at a time
      const Tensor host = to_device(dense(entry->second), cpu_device());
      sink({static_cast<const char*>(host.raw()), host.bytes()});
    }
  });
}

}  // namespace jogak
