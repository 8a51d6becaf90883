#include "app/tools/info.h"

#include <algorithm>
#include <unordered_map>

#include "app/models/adapter.h"
#include "app/use/text_reader.h"
#include "base/file.h"
#include "io/model_files.h"
#include "text/pair_tokenizer.h"

namespace jogak {
namespace {

std::optional<TokenizerInfo> tokenizer_info(const std::string& directory) {
  if (file_exists(join_path(directory, "source.spm"))) {  // two sides, as a marian directory has
    const PairTokenizer pair = load_pair_tokenizer(directory);
    return TokenizerInfo{"source.spm", pair.source.vocab_size(), pair.target.vocab_size()};
  }
  const std::vector<std::string> files = tokenizer_files(directory);
  if (files.empty()) return {};
  return TokenizerInfo{files[0], Tokenizer::load(directory).vocab_size(), {}};
}

// The part of the model a tensor belongs to: its name up to the number of its layer, else its
// first two words.
std::string module_of(const std::string& tensor) {
  size_t words = 0, second = std::string::npos;
  for (size_t from = 0; from < tensor.size();) {
    const size_t end = std::min(tensor.find('.', from), tensor.size());
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (std::all_of(tensor.begin() + static_cast<ptrdiff_t>(from),
                    tensor.begin() + static_cast<ptrdiff_t>(end), digit))
      return tensor.substr(0, end);
    if (++words <= 2 && end < tensor.size()) second = end;
    from = end + 1;
  }
  return tensor.substr(0, second);
}

// layer.2 before layer.10.
bool by_number(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto length = [&](const std::string& s, size_t at) {
    size_t end = at;
    while (end < s.size() && digit(s[end])) ++end;
    return end - at;
  };
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    if (digit(a[i]) && digit(b[i]) && length(a, i) != length(b, i))
      return length(a, i) < length(b, i);
    return a[i] < b[i];
  }
  return a.size() < b.size();
}

// Tensors, parameters and bytes of each part, in the order of the file.
std::vector<ModuleInfo> modules_of(const std::vector<TensorEntry>& tensors) {
  std::vector<ModuleInfo> out;
  std::unordered_map<std::string, size_t> place;
  for (const TensorEntry& tensor : tensors) {
    const std::string name = module_of(tensor.name);
    const auto [at, fresh] = place.emplace(name, out.size());
    if (fresh) out.push_back({name});
    ModuleInfo& one = out[at->second];
    ++one.tensors;
    one.parameters += tensor.parameters;
    one.bytes += tensor.bytes;
  }
  return out;
}

template <class Files>
std::vector<TensorEntry> tensors_of(const Files& files) {
  std::vector<std::string> names = files.names();
  std::sort(names.begin(), names.end(), by_number);
  std::vector<TensorEntry> out;
  for (const std::string& name : names) {
    const TensorInfo& info = files.info(name);
    out.push_back({name,
                   info.type->name,
                   {info.shape.begin(), info.shape.end()},
                   info.shape.count(),
                   static_cast<int64_t>(info.bytes())});
  }
  return out;
}

void set_encoder(const EncoderModel& m, ModelInfo& out) {
  if (m.task == EncoderTask::forecast) {
    out.series = m.channels, out.context = m.context, out.horizon = m.horizon;
    return;
  }
  if (m.vocab == 0)
    out.image = {m.image[0], m.image[1]}, out.channels = m.channels;
  else
    out.vocab = m.vocab, out.context = m.context;
  if (m.task == EncoderTask::classify || m.task == EncoderTask::tag) out.labels = m.labels.names;
}

}  // namespace

ModelInfo model_info(const std::string& directory) {
  const Model model = open_model(directory, {.allow_nonfinite = true, .use = WeightUse::as_stored});
  ModelInfo out{.model_type = model.model_type,
                .command = command_for(model),
                .parameters = model.store->count(),
                .layers = model.layers,
                .width = model.width};
  std::string tokens = directory;  // where the tokenizer is
  if (is_adapter_directory(directory)) {
    const AdapterConfig config = read_adapter_config(directory);
    out.adapter = {config.base, config.lora.rank, config.lora.alpha, config.lora.targets};
    out.tensors = tensors_of(SafetensorsFile(join_path(directory, kAdapterFile)));
    if (tokenizer_files(directory).empty()) tokens = config.base;
    out.parameters = 0;  // of base and adapters, none of which learns here
    for (const Param& p : model.store->all()) out.parameters += p.value.count();
  } else {
    out.tensors = tensors_of(ModelFiles(directory));
  }
  for (const TensorEntry& tensor : out.tensors) out.bytes += tensor.bytes;
  out.modules = modules_of(out.tensors);
  for (const Param& p : model.store->all())
    out.memory_bytes += p.value.count() * static_cast<int64_t>(size_of(p.value.dtype()));
  if (model.encodes())
    set_encoder(model.encoder, out);
  else
    out.vocab = model.vocab, out.context = model.context;
  out.reads_text = model.vocab > 0;
  if (out.reads_text) out.tokenizer = tokenizer_info(tokens);
  return out;
}

}  // namespace jogak
