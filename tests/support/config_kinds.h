// Malformed model configurations, one or more of each kind of a list that numbers them: 81 to 104
// are kinds of config.json. 65 to 80, of the index and its shards, are in
// tests/io/model_files_test; docs/results.md says where every kind is.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "tests/support/places.h"

namespace jogak {

struct MalformedConfig {
  int kind;
  std::string golden;  // whose directory this is, but for config.json
  std::string config;  // what stands there
  std::string reason;  // some words of the error
  bool placed = true;  // the error names the byte; else it is the tensors that do not fit
};

namespace config_kinds {

inline std::string golden_path(const std::string& golden) {
  return source_path("tests/goldens/") + golden;
}

// The golden's configuration with one key set to this text, JSON or not.
inline std::string with(const std::string& golden, const std::string& key,
                        const std::string& value) {
  constexpr char kMark[] = "\"@\"";
  Json config = read_json_file(golden_path(golden) + "/config.json");
  std::string text = config.set(key, "@").dump(2);
  return text.replace(text.find(kMark), sizeof kMark - 1, value);
}

inline std::string nested(int depth) {
  return "{\"model_type\":\"gpt2\",\"x\":" + std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']') + "}";
}

}  // namespace config_kinds

inline std::vector<MalformedConfig> malformed_configs() {
  using config_kinds::nested;
  const struct {
    int kind;
    const char *golden, *key, *value, *reason;
    bool placed = true;
  } keys[] = {
      {85, "gpt2-a", "model_type", "\"gpt9\"", "wanted one of gpt2"},
      {85, "gpt2-a", "model_type", "3", "wanted a string"},
      {86, "gpt2-a", "n_embd", "0", "an integer from 1"},
      {86, "llama-a", "hidden_size", "0", "an integer from 1"},
      {87, "bert-a", "hidden_size", "-24", "an integer from 1"},
      {87, "llama-a", "vocab_size", "-1", "an integer from 1"},
      {88, "llama-a", "hidden_size", "2147483648", "an integer from 1 to 16777216"},
      {88, "gpt2-a", "n_embd", "9223372036854775808", "an integer"},
      {88, "gpt2-a", "n_embd", "16777216", "wants [97, 16777216]", false},
      {88, "marian-a", "max_position_embeddings", "16777216", "an integer from 1 to 65536"},
      {88, "patchtst-a", "context_length", "16777216", "wants [5592", false},
      {88, "patchtst-a", "num_input_channels", "16777216", "an integer from 1 to 65536"},
      {89, "gpt2-a", "n_embd", "\"768\"", "found \"768\", wanted an integer"},
      {89, "vit-a", "image_size", "\"16\"", "found \"16\", wanted an integer"},
      {90, "gpt2-a", "resid_pdrop", "NaN", "wanted a JSON value"},
      {90, "gpt2-a", "resid_pdrop", "Infinity", "wanted a JSON value"},
      {90, "gpt2-a", "resid_pdrop", "-Infinity", "wanted a JSON value"},
      {91, "gpt2-a", "n_head", "5", "a divisor of n_embd 32"},
      {91, "bert-a", "num_attention_heads", "5", "a divisor of hidden_size 24"},
      {91, "marian-a", "decoder_attention_heads", "5", "a divisor of d_model"},
      {92, "llama-a", "num_key_value_heads", "3", "a divisor of num_attention_heads 4"},
      {93, "llama-a", "num_key_value_heads", "0", "an integer from 1"},
      {93, "falcon-c", "num_kv_heads", "0", "an integer from 1"},
      {93, "gpt2-a", "n_head", "0", "an integer from 1"},
      {94, "gpt2-a", "n_layer", "1000000000", "an integer from 1 to 10000"},
      {94, "llama-a", "num_hidden_layers", "10000", "or more tensors do not fit", false},
      {95, "gpt2-a", "vocab_size", "98", "the file has [97, 32], the model wants [98, 32]", false},
      {96, "llama-a", "rope_parameters", R"({"rope_theta":0})", "a number above 1"},
      {96, "llama-a", "rope_parameters", R"({"rope_theta":-10000.0})", "a number above 1"},
      {97, "gpt2-a", "layer_norm_epsilon", "0", "a small positive number"},
      {97, "llama-a", "rms_norm_eps", "-1e-6", "a small positive number"},
      {97, "llama-a", "rms_norm_eps", "1e400", "1e400"},
      {98, "llama-a", "max_position_embeddings", "0", "an integer from 1"},
      {99, "vit-a", "patch_size", "17", "patches that fill image_size"},
      {99, "vit-a", "image_size", "[16, 17]", "patches that fill image_size"},
      {99, "vit-a", "patch_size", "0", "an integer from 1"},
      {100, "patchtst-a", "patch_length", "23", "less than context_length 22"},
      {100, "patchtst-a", "patch_stride", "0", "an integer from 1"},
      {101, "gpt2-a", "attn_pdrop", "1.5", "a number from 0 up to"},
      {101, "bert-a", "hidden_dropout_prob", "-0.1", "a number from 0 up to"},
      {102, "llama-a", "head_dim", "7", "an even number"},
      {103, "gpt2-a", "n_layer", "3", "h.2.ln_1.weight: missing", false},
      {103, "gpt2-a", "n_layer", "1", "not used by the model", false},
      {103, "gpt2-a", "n_inner", "129", "[32, 129]", false},
      {104, "gpt2-a", "auto_map", R"({"AutoModel":"modeling_x.XModel"})",
       "not of modeling_x.py: remote code is not run"},
      {104, "gpt2-a", "auto_map", R"({"AutoModel":[1]})", "the name of a class"},
      {104, "gpt2-a", "auto_map", R"({"Auto\nModel":"x.X"})", R"("Auto\nModel": found "x.X")"},
      {104, "gpt2-a", "auto_map", "\"modeling.py\"", "wanted an object"},
  };
  std::vector<MalformedConfig> out = {
      {81, "gpt2-a", "", "wanted a JSON value"},
      {82, "gpt2-a", "[]", "wanted an object"},
      {82, "gpt2-a", "\"gpt2\"", "wanted an object"},
      {83, "gpt2-a", R"({"model_type":"gpt2","n_embd":32,"n_embd":64})", "a second time"},
      {83, "gpt2-a", R"({"model_type":"gpt2","n_embd":32,"n\u005fembd":64})", "a second time"},
      {84, "gpt2-a", nested(64), "deep"},
      {84, "gpt2-a", nested(1'000'000), "deep"},
      {85, "gpt2-a", "{}", "\"model_type\" is missing"},
      {104, "gpt2-a", R"({"model_type":"x","auto_map":{"AutoModel":"modeling_x.XModel"}})",
       "asks for modeling_x.py, remote code is not run"},
  };
  for (const auto& k : keys)
    out.push_back(
        {k.kind, k.golden, config_kinds::with(k.golden, k.key, k.value), k.reason, k.placed});
  return out;
}

}  // namespace jogak
