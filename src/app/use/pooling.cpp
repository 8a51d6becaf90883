#include "app/use/pooling.h"

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "io/safetensors.h"

namespace jogak {
namespace {

struct PoolKey {
  const char *key, *mode;  // a flag, or a word of "pooling_mode"
  Pool pool;
};
// In the order in which sentence-transformers puts them side by side.
constexpr PoolKey kPoolKeys[] = {
    {"pooling_mode_cls_token", "cls", Pool::cls},
    {"pooling_mode_max_tokens", "max", Pool::max},
    {"pooling_mode_mean_tokens", "mean", Pool::mean},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", Pool::mean_sqrt},
    {"pooling_mode_weightedmean_tokens", "weightedmean", Pool::weighted_mean},
    {"pooling_mode_lasttoken", "lasttoken", Pool::last},
};

// "mean", or ["cls", "mean"]: in the order of the table, whatever theirs.
std::vector<Pool> read_modes(const Fields& fields) {
  constexpr const char* kKey = "pooling_mode";
  std::vector<Json> words = {fields.at(kKey)};
  if (words[0].is_array()) words = std::vector<Json>(fields.list(kKey));
  std::string known;
  for (const PoolKey& one : kPoolKeys) known += (known.empty() ? "" : ", ") + std::string(one.mode);
  std::vector<Pool> out;
  for (const Json& word : words) {
    const auto* const end = std::end(kPoolKeys);
    const auto* const found = std::find_if(std::begin(kPoolKeys), end, [&](const PoolKey& one) {
      return word.is_string() && word.text() == one.mode;
    });
    if (found == end) fields.wrong(word, kKey, "one of " + known);
  }
  for (const PoolKey& one : kPoolKeys)
    if (std::any_of(words.begin(), words.end(),
                    [&](const Json& word) { return word.text() == one.mode; }))
      out.push_back(one.pool);
  return out;
}

std::vector<Pool> read_pools(const std::string& file) {
  const Json json = read_json_file(file);
  const Fields fields(json, file);
  if (fields.has("pooling_mode")) return read_modes(fields);
  std::vector<Pool> out;
  for (const PoolKey& one : kPoolKeys)
    if (fields.flag_or(one.key, one.pool == Pool::mean)) out.push_back(one.pool);
  ensure<FormatError>(!out.empty(), file, ": every pooling mode is off, wanted one that is on");
  return out;
}

// A path below the directory; modules.json must not lead out of it.
std::string below(const std::string& directory, const Fields& module) {
  const std::string path = module.text_or("path", "");
  if (path.starts_with('/') || path.find("..") != std::string::npos)
    module.wrong(module.at("path"), "path", "a path inside the directory");
  return path.empty() ? directory : join_path(directory, path);
}

void read_transformer(const std::string& directory, SentenceModules& out) {
  out.model = directory;
  const std::string file = join_path(directory, "sentence_bert_config.json");
  if (!file_exists(file)) return;
  const Json json = read_json_file(file);
  const Fields fields(json, file);
  out.longest = fields.integer_or("max_seq_length", 0, {0, INT32_MAX});
  out.lowercase = fields.flag_or("do_lower_case", false);
}

DenseModule read_dense(const std::string& directory) {
  const std::string file = join_path(directory, "config.json");
  const Json json = read_json_file(file);
  const Fields fields(json, file);
  DenseModule out;
  constexpr Fields::Range kSize{1, 1 << 20};
  out.in = static_cast<size_t>(fields.integer("in_features", kSize));
  out.out = static_cast<size_t>(fields.integer("out_features", kSize));
  const std::string name = fields.text_or("activation_function", "Tanh");
  out.tanh = name.ends_with("Tanh");
  if (!out.tanh && !name.ends_with("Identity"))
    fields.wrong(fields.at("activation_function"), "activation_function", "Tanh or Identity");
  const SafetensorsFile weights(join_path(directory, "model.safetensors"));
  const auto values = [&](const char* tensor, const Shape& shape) {
    const Tensor x = weights.read(tensor);
    ensure<FormatError>(x.shape() == shape, weights.path(), ": ", tensor, " has shape ", x.shape(),
                        ", config.json wants ", shape);
    return to_host<float>(x);
  };
  const auto in = static_cast<int64_t>(out.in), rows = static_cast<int64_t>(out.out);
  out.weight = values("linear.weight", {rows, in});
  if (fields.flag_or("bias", true)) out.bias = values("linear.bias", {rows});
  return out;
}

std::vector<double> pooled(Pool pool, std::span<const float> rows, size_t width) {
  const size_t T = rows.size() / width;
  std::vector<double> out(width);
  if (pool == Pool::cls || pool == Pool::last) {
    const auto from = rows.subspan(pool == Pool::cls ? 0 : (T - 1) * width, width);
    std::copy(from.begin(), from.end(), out.begin());
    return out;
  }
  if (pool == Pool::max)
    std::copy(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(width), out.begin());
  double weights = 0;
  for (size_t t = 0; t < T; ++t) {
    const double weight = pool == Pool::weighted_mean ? static_cast<double>(t + 1) : 1;
    weights += weight;
    for (size_t c = 0; c < width; ++c) {
      const double x = rows[t * width + c];
      out[c] = pool == Pool::max ? std::max(out[c], x) : out[c] + weight * x;
    }
  }
  if (pool == Pool::max) return out;
  const double by = pool == Pool::mean_sqrt ? std::sqrt(weights) : weights;
  for (double& x : out) x /= by;
  return out;
}

}  // namespace

SentenceModules read_sentence_modules(const std::string& directory) {
  SentenceModules out{.model = directory};
  const std::string file = join_path(directory, "modules.json");
  if (!file_exists(file)) return out;
  const Json json = read_json_file(file);
  ensure<FormatError>(json.is_array(), file, ": byte 0: found ", json.kind_name(),
                      ", wanted an array of modules");
  for (const Json& one : json.items()) {
    const Fields module(one, file);
    const std::string& type = module.text("type");
    const std::string name = type.substr(type.rfind('.') + 1);
    const std::string path = below(directory, module);
    if (name == "Transformer")
      read_transformer(path, out);
    else if (name == "Pooling")
      out.pools = read_pools(join_path(path, "config.json"));
    else if (name == "Dense" && !out.normalize)
      out.dense.push_back(read_dense(path));
    else if (name == "Normalize")
      out.normalize = true;
    else
      module.wrong(module.at("type"), "type",
                   "a Transformer, Pooling or Dense module, then Normalize");
  }
  return out;
}

std::vector<float> pooled_vector(std::span<const float> rows, size_t width,
                                 std::span<const Pool> pools) {
  std::vector<float> out;
  for (const Pool pool : pools)
    for (const double x : pooled(pool, rows, width)) out.push_back(static_cast<float>(x));
  return out;
}

std::vector<float> DenseModule::operator()(const std::vector<float>& x) const {
  ensure<FormatError>(x.size() == in, "modules.json: the Dense module takes vectors of ", in,
                      " numbers, what comes before it gives ", x.size());
  std::vector<float> y(out);
  for (size_t o = 0; o < out; ++o) {
    double sum = bias.empty() ? 0 : bias[o];
    for (size_t i = 0; i < in; ++i) sum += double{weight[o * in + i]} * x[i];
    y[o] = static_cast<float>(tanh ? std::tanh(sum) : sum);
  }
  return y;
}

void normalize(std::vector<float>& vector) {
  double sum = 0;
  for (const float x : vector) sum += double{x} * x;
  if (sum == 0) return;
  const double by = 1 / std::sqrt(sum);
  for (float& x : vector) x = static_cast<float>(x * by);
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return aa > 0 && bb > 0 ? dot / std::sqrt(aa * bb) : 0;
}

}  // namespace jogak
