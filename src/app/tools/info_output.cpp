// What a model directory holds, as a table and as JSON.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "app/tools/info.h"
#include "base/format.h"

namespace jogak {
namespace {

constexpr Words kParameters{"매개변수", "parameters"}, kMemory{"메모리", "memory"};

std::string memory_text(int64_t bytes) { return format_bytes(static_cast<uint64_t>(bytes)); }

std::string shape_text(const std::vector<int64_t>& shape) { return Json::list(shape).dump(); }

std::string labels_text(const std::vector<std::string>& labels) {
  constexpr size_t kShown = 8;
  std::string out = format_count(static_cast<int64_t>(labels.size())) + ": ";
  for (size_t i = 0; i < std::min(labels.size(), kShown); ++i)
    out += (i > 0 ? ", " : "") + labels[i];
  return out + (labels.size() > kShown ? ", .." : "");
}

std::string adapter_text(const AdapterInfo& adapter, Lang lang) {
  return lang == Lang::ko
             ? text_of("바탕 ", adapter.base, ", 랭크 ", adapter.rank, ", 알파 ", adapter.alpha)
             : text_of("of ", adapter.base, ", rank ", adapter.rank, ", alpha ", adapter.alpha);
}

std::string tokenizer_text(const std::optional<TokenizerInfo>& tokenizer, Lang lang) {
  constexpr Words kNone{"없음", "none"};
  if (!tokenizer) return std::string(kNone(lang));
  const std::string count = format_count(tokenizer->vocab);
  return tokenizer->file + ", " + (lang == Lang::ko ? "토큰 " + count + "개" : count + " tokens");
}

std::string head_table(const ModelInfo& info, Lang lang) {
  TextTable head({"", ""});
  const auto row = [&](const Words& title, std::string value) {
    head.row({std::string(title(lang)), std::move(value)});
  };
  const auto number = [&](const Words& title, std::optional<int64_t> value) {
    if (value) row(title, format_count(*value));
  };
  row({"모델 종류", "family"}, info.model_type);
  row({"명령", "command"}, info.command);
  if (info.adapter) row({"어댑터", "adapters"}, adapter_text(*info.adapter, lang));
  number(kParameters, info.parameters);
  row({"가중치", "weights"}, memory_text(info.bytes));
  row(kMemory, memory_text(info.memory_bytes));
  number({"층", "layers"}, info.layers);
  number({"너비", "width"}, info.width);
  number({"어휘", "vocabulary"}, info.vocab);
  if (info.image) {
    constexpr Words kChannels{", 채널: ", ", channels: "};
    row({"이미지", "image"}, text_of((*info.image)[0], " x ", (*info.image)[1], kChannels(lang),
                                     info.channels.value_or(0)));
  }
  number({"시계열", "series"}, info.series);
  number({"문맥", "context"}, info.context);
  number({"예측 길이", "horizon"}, info.horizon);
  if (info.labels) row({"레이블", "labels"}, labels_text(*info.labels));
  if (info.reads_text) row({"토크나이저", "tokenizer"}, tokenizer_text(info.tokenizer, lang));
  return head.text();
}

Json json_of(const TokenizerInfo& t) {
  Json out = Json::object();
  out.set("file", t.file).set("vocab", t.vocab);
  if (t.target_vocab) out.set("target_vocab", *t.target_vocab);
  return out;
}

Json json_of(const ModuleInfo& m) {
  Json out = Json::object();
  out.set("name", m.name).set("tensors", m.tensors).set("parameters", m.parameters);
  return std::move(out.set("bytes", m.bytes));
}

Json json_of(const TensorEntry& t) {
  Json out = Json::object();
  out.set("name", t.name).set("dtype", t.dtype).set("shape", Json::list(t.shape));
  return std::move(out.set("parameters", t.parameters).set("bytes", t.bytes));
}

template <class Item>
Json list_of(const std::vector<Item>& items) {
  Json out = Json::array();
  for (const Item& item : items) out.push(json_of(item));
  return out;
}

}  // namespace

std::string info_table(const ModelInfo& info, Lang lang) {
  const auto titles = [lang](std::initializer_list<Words> words) {
    std::vector<std::string> out;
    for (const Words& one : words) out.emplace_back(one(lang));
    return out;
  };
  TextTable parts(titles({{"부분", "part"}, {"텐서", "tensors"}, kParameters, kMemory}));
  for (const ModuleInfo& part : info.modules)
    parts.row({part.name, format_count(part.tensors), format_count(part.parameters),
               memory_text(part.bytes)});
  TextTable body(
      titles({{"텐서", "tensor"}, {"자료형", "dtype"}, {"모양", "shape"}, kParameters, kMemory}));
  for (const TensorEntry& tensor : info.tensors)
    body.row({tensor.name, tensor.dtype, shape_text(tensor.shape), format_count(tensor.parameters),
              memory_text(tensor.bytes)});
  return head_table(info, lang) + "\n" + parts.text() + "\n" + body.text();
}

Json to_json(const ModelInfo& info) {
  Json out = Json::object();
  const auto number = [&](const char* key, std::optional<int64_t> value) {
    if (value) out.set(key, *value);
  };
  out.set("schema", 1).set("model_type", info.model_type).set("command", info.command);
  out.set("parameters", info.parameters);
  out.set("bytes", info.bytes).set("memory_bytes", info.memory_bytes);
  out.set("layers", info.layers).set("width", info.width);
  number("series", info.series);
  if (info.image) out.set("image", Json::list(*info.image));
  number("channels", info.channels);
  number("vocab", info.vocab);
  number("context", info.context);
  number("horizon", info.horizon);
  if (info.labels) out.set("labels", Json::list(*info.labels));
  if (info.reads_text) out.set("tokenizer", info.tokenizer ? json_of(*info.tokenizer) : Json());
  if (info.adapter) {
    Json adapter = Json::object();
    adapter.set("base", info.adapter->base).set("rank", info.adapter->rank);
    adapter.set("alpha", info.adapter->alpha).set("targets", Json::list(info.adapter->targets));
    out.set("adapter", std::move(adapter));
  }
  out.set("modules", list_of(info.modules));
  return std::move(out.set("tensors", list_of(info.tensors)));
}

}  // namespace jogak
