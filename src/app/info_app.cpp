#include "app/info_app.h"

#include "app/model.h"
#include "base/file.h"
#include "base/format.h"
#include "text/pair_tokenizer.h"

namespace jogak {
namespace {

Json tokenizer_info(const std::string& directory) {
  if (file_exists(join_path(directory, "source.spm"))) {  // two sides, as a marian directory has
    const PairTokenizer pair = load_pair_tokenizer(directory);
    Json out = Json::object();
    out.set("file", "source.spm").set("vocab", pair.source.vocab_size());
    return std::move(out.set("target_vocab", pair.target.vocab_size()));
  }
  for (const char* name : {"tokenizer.json", "vocab.json", "encoder.json"}) {
    if (!file_exists(join_path(directory, name))) continue;
    Json out = Json::object();
    out.set("file", name);
    out.set("vocab", Tokenizer::load(directory).vocab_size());
    return out;
  }
  return {};
}

}  // namespace

Json model_info(const std::string& directory) {
  const Model model = open_model(directory, {.allow_nonfinite = true});
  const ModelFiles files(directory);
  Json tensors = Json::array();
  for (const std::string& name : files.names()) {
    const TensorInfo& info = files.info(name);
    Json one = Json::object();
    one.set("name", name).set("dtype", info.type->name).set("shape", Json::list(info.shape));
    tensors.push(std::move(one));
  }
  Json out = Json::object();
  out.set("schema", 1).set("model_type", model.model_type);
  out.set("parameters", model.store->count());
  out.set("bytes", static_cast<int64_t>(files.bytes()));
  out.set("layers", model.layers).set("vocab", model.vocab);
  out.set("context", model.context);
  out.set("tokenizer", tokenizer_info(directory)).set("tensors", std::move(tensors));
  return out;
}

std::string info_table(const Json& info) {
  const auto number = [&](const char* key) { return format_count(info.find(key)->integer()); };
  TextTable head({"", ""});
  head.row({"family", info.find("model_type")->text()});
  head.row({"parameters", number("parameters")});
  head.row({"weights", format_bytes(static_cast<uint64_t>(info.find("bytes")->integer()))});
  head.row({"layers", number("layers")});
  head.row({"vocabulary", number("vocab")});
  head.row({"context", number("context")});
  const Json& tokenizer = *info.find("tokenizer");
  head.row(
      {"tokenizer", tokenizer.is_null()
                        ? "none"
                        : text_of(tokenizer.find("file")->text(), ", ",
                                  format_count(tokenizer.find("vocab")->integer()), " tokens")});
  TextTable body({"tensor", "dtype", "shape"});
  for (const Json& tensor : info.find("tensors")->items())
    body.row(
        {tensor.find("name")->text(), tensor.find("dtype")->text(), tensor.find("shape")->dump()});
  return head.text() + "\n" + body.text();
}

}  // namespace jogak
