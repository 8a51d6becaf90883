#include "app/measure/parity.h"

#include <filesystem>
#include <optional>

#include "app/use/forward.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "base/hash/hash.h"
#include "base/shortest.h"
#include "base/version.h"
#include "ops/kernels/isa.h"
#include "text/pair_tokenizer.h"

namespace jogak {
namespace {

constexpr double kTolerance = 1e-4;
constexpr const char* kTexts[] = {
    "The cat sat on the mat.",
    "조각조각 배우는 트랜스포머, 2031년 5월 9일!",
    "Voilà: naïve café — 3.14 €, 日本語 и русский",
    "  two  spaces\tand a tab ",
    "e\u0301 👩‍👩‍👧 \u200b",
};

Json tensor_json(const Tensor& x) {
  std::string data;
  const auto add = [&](const std::string& number) { data += (data.empty() ? "" : " ") + number; };
  if (is_float(x.dtype()))
    for (const float value : to_host<float>(x)) add(shortest(value));
  else
    for (const int64_t value : to_host<int64_t>(x)) add(std::to_string(value));
  Json out = Json::object();
  out.set("dtype", is_float(x.dtype()) ? "f32" : "i64").set("shape", Json::list(x.shape()));
  return std::move(out.set("data", std::move(data)));
}

Json tensors_json(const NamedTensors& tensors) {
  Json out = Json::object();
  for (const auto& [name, value] : tensors) out.set(name, tensor_json(value));
  return out;
}

// Everything that decides what the model computes or how it cuts a text.
std::vector<ParityCertificate::File> files_of(const std::string& directory) {
  std::vector<std::string> names = {"config.json", "generation_config.json", kModelIndexFile};
  const ModelFiles weights(directory);
  for (const SafetensorsFile& file : weights.files())
    names.push_back(std::filesystem::path(file.path()).filename().string());
  for (const std::string& name : tokenizer_file_names()) names.push_back(name);
  std::vector<ParityCertificate::File> out;
  for (const std::string& name : names)
    if (const std::string path = join_path(directory, name); file_exists(path))
      out.push_back(
          {name, static_cast<int64_t>(std::filesystem::file_size(path)), sha256_file(path)});
  return out;
}

// Empty where the directory has no tokenizer.
std::optional<Tokenizer> source_tokenizer(const std::string& directory) {
  if (file_exists(join_path(directory, "source.spm")))
    return std::move(load_pair_tokenizer(directory).source);
  try {
    return Tokenizer::load(directory);
  } catch (const MissingError&) {
    return std::nullopt;
  }
}

// A text with letters that the tokenizer has no token for, not even an unknown one, is left out.
std::vector<ParityCertificate::Tokens> tokens_of(const std::string& directory) {
  std::vector<ParityCertificate::Tokens> out;
  const std::optional<Tokenizer> tokenizer = source_tokenizer(directory);
  for (const char* text : kTexts) {
    if (!tokenizer) break;
    try {
      out.push_back({text, tokenizer->encode_ids(text)});
    } catch (const Error&) {
      continue;
    }
  }
  return out;
}

}  // namespace

ParityCertificate parity_certificate(const std::string& directory) {
  const Model model = open_model(directory);
  NamedTensors inputs = parity_inputs(model);
  const NoGrad quiet;
  Run run;
  ForwardOutputs outputs = forward(model, ForwardInputs(inputs), run);
  if (outputs.loss.defined()) outputs.named.emplace_back("loss", outputs.loss);
  ParityCertificate out{.model_type = model.model_type, .isa = isa_name()};
  out.files = files_of(directory);
  if (model.vocab > 0) out.tokens = tokens_of(directory);
  out.inputs = std::move(inputs), out.outputs = std::move(outputs.named);
  return out;
}

Json to_json(const ParityCertificate& c) {
  Json files = Json::array(), tokens = Json::array();
  for (const ParityCertificate::File& file : c.files) {
    Json one = Json::object();
    one.set("name", file.name).set("bytes", file.bytes);
    files.push(std::move(one.set("sha256", file.sha256)));
  }
  for (const ParityCertificate::Tokens& text : c.tokens) {
    Json one = Json::object();
    tokens.push(std::move(one.set("text", text.text).set("ids", Json::list(text.ids))));
  }
  Json out = Json::object();
  out.set("schema", 1).set("what", "jogak parity certificate");
  out.set("jogak", kVersion).set("isa", c.isa).set("model_type", c.model_type);
  out.set("replay", "python3 scripts/replay-parity.py CERTIFICATE DIR");
  out.set("tolerance", kTolerance).set("files", std::move(files)).set("tokens", std::move(tokens));
  out.set("inputs", tensors_json(c.inputs));
  return std::move(out.set("outputs", tensors_json(c.outputs)));
}

void write_example(const std::string& directory, const std::string& file) {
  save_safetensors(file, parity_inputs(open_model(directory)), made_by_forward());
}

}  // namespace jogak
