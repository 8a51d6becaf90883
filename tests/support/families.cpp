#include "tests/support/families.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "tests/support/golden.h"

namespace jogak::test {
namespace {

struct Golden {
  std::string name, model_type;
  std::set<std::string> tensors;
};

std::set<std::string> tensors_of(const std::string& file) {
  const std::string bytes = read_file(file);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  std::set<std::string> out;
  const Json header = parse_json(bytes.substr(sizeof length, length), file);
  for (const auto& [name, about] : header.members()) out.insert(name);
  return out;
}

const std::vector<Golden>& listed() {
  static const std::vector<Golden> all = [] {
    std::vector<Golden> out;
    for (const auto& entry : std::filesystem::directory_iterator(golden_dir(""))) {
      const std::string config = entry.path() / "config.json",
                        golden = entry.path() / "golden.safetensors";
      if (!file_exists(config) || !file_exists(golden)) continue;
      out.push_back({entry.path().filename(), read_json_file(config).find("model_type")->text(),
                     tensors_of(golden)});
    }
    std::sort(out.begin(), out.end(),
              [](const Golden& a, const Golden& b) { return a.name < b.name; });
    return out;
  }();
  return all;
}

template <class Fits>
std::vector<std::string> names_where(Fits fits) {
  std::vector<std::string> out;
  for (const Golden& one : listed())
    if (fits(one)) out.push_back(one.name);
  return out;
}

}  // namespace

std::vector<std::string> all_goldens() {
  return names_where([](const Golden&) { return true; });
}

std::vector<std::string> goldens_of(const std::string& model_type) {
  return names_where([&](const Golden& one) { return one.model_type == model_type; });
}

std::vector<std::string> goldens_with(const std::string& tensor, const std::string& without) {
  return names_where([&](const Golden& one) {
    return one.tensors.contains(tensor) && !one.tensors.contains(without);
  });
}

std::string test_name(std::string golden) {
  std::replace(golden.begin(), golden.end(), '-', '_');
  return golden;
}

SmallRecipe small_recipe(const std::string& family, int64_t width) {
  const std::string named = text_of("family = \"", family, "\"\n");
  const std::string tokens = "[tokenizer]\ntype = \"char\"\n", four = "batch = 4\n";
  const std::string dates = "make = \"dates\"\ncount = 60\nvalid_count = 8\n";
  const std::string encoder =
      text_of("num_hidden_layers = 1\nhidden_size = ", width, "\nnum_attention_heads = 2\n");
  const std::string narrow = text_of("d_model = ", width, "\n");
  if (family == "distilbert")
    return {named + text_of("n_layers = 1\ndim = ", width, "\nn_heads = 2\n") + tokens,
            "kind = \"masked-lines\"\n" + dates, four};
  const std::set<std::string> readers = {"bert",       "roberta",    "xlm-roberta", "electra",
                                         "modernbert", "deberta-v2", "mpnet"};
  if (readers.contains(family))
    return {named + encoder + tokens, "kind = \"masked-lines\"\n" + dates, four};
  const std::string pairs = "kind = \"pairs\"\n" + dates,
                    adam = "batch_tokens = 128\noptimizer = \"adam\"\n";
  if (family == "seq2seq" || family.ends_with("bart") || family == "m2m_100" || family == "lab")
    return {named + "encoder_layers = 1\ndecoder_layers = 1\n" + narrow + tokens, pairs, adam};
  if (family == "t5") return {named + "num_layers = 1\n" + narrow + tokens, pairs, adam};
  if (family == "vit" || family == "deit" || family == "dinov2")
    return {named + encoder, "kind = \"images\"\nmake = \"shapes\"\ncount = 30\nvalid_count = 6\n",
            four};
  if (family == "clip")
    return {named + text_of("projection_dim = ", width, "\n") + tokens,
            "kind = \"captions\"\nmake = \"shapes\"\ncount = 30\nvalid_count = 6\n", four};
  if (family == "patchtst")
    return {named + "context_length = 48\nprediction_length = 12\n" + narrow,
            "kind = \"series\"\nmake = \"series\"\ncount = 300\n",
            four + "optimizer = \"sgd\"\nmomentum = 0.9\n"};
  if (family == "timesfm")
    return {named + "context_length = 48\nhorizon_length = 12\npatch_length = 8\n" +
                text_of("num_hidden_layers = 1\nnum_attention_heads = 2\nhead_dim = ", width / 2,
                        "\nhidden_size = ", width, "\n"),
            "kind = \"series\"\nmake = \"series\"\ncount = 300\n", four};
  if (family == "patchtsmixer")
    return {named + "context_length = 48\nprediction_length = 12\n" + narrow,
            "kind = \"series\"\nmake = \"series\"\ncount = 300\n", four};
  return {named + tokens, "make = \"sort\"\ncount = 60\nvalid_count = 8\n",
          four + (family == "gpt2" ? "accumulate = 2\n" : "")};
}

}  // namespace jogak::test
