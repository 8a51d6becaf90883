// What a model directory holds, as a table and as JSON.
#include <algorithm>

#include "app/tools/info.h"
#include "base/format.h"

namespace jogak {
namespace {

std::string memory_text(int64_t bytes) { return format_bytes(static_cast<uint64_t>(bytes)); }

std::string shape_text(const std::vector<int64_t>& shape) { return Json::list(shape).dump(); }

std::string labels_text(const std::vector<std::string>& labels) {
  constexpr size_t kShown = 8;
  std::string out = format_count(static_cast<int64_t>(labels.size())) + ": ";
  for (size_t i = 0; i < std::min(labels.size(), kShown); ++i)
    out += (i > 0 ? ", " : "") + labels[i];
  return out + (labels.size() > kShown ? ", .." : "");
}

std::string head_table(const ModelInfo& info) {
  TextTable head({"", ""});
  const auto number = [&](const char* row, std::optional<int64_t> value) {
    if (value) head.row({row, format_count(*value)});
  };
  head.row({"family", info.model_type});
  head.row({"command", info.command});
  if (info.adapter)
    head.row({"adapters", text_of("of ", info.adapter->base, ", rank ", info.adapter->rank,
                                  ", alpha ", info.adapter->alpha)});
  number("parameters", info.parameters);
  head.row({"weights", memory_text(info.bytes)});
  head.row({"memory", memory_text(info.memory_bytes)});
  number("layers", info.layers);
  number("width", info.width);
  number("vocabulary", info.vocab);
  if (info.image)
    head.row({"image", text_of((*info.image)[0], " x ", (*info.image)[1],
                               ", channels: ", info.channels.value_or(0))});
  number("series", info.series);
  number("context", info.context);
  number("horizon", info.horizon);
  if (info.labels) head.row({"labels", labels_text(*info.labels)});
  if (info.reads_text)
    head.row({"tokenizer", info.tokenizer ? text_of(info.tokenizer->file, ", ",
                                                    format_count(info.tokenizer->vocab), " tokens")
                                          : "none"});
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

std::string info_table(const ModelInfo& info) {
  TextTable parts({"part", "tensors", "parameters", "memory"});
  for (const ModuleInfo& part : info.modules)
    parts.row({part.name, format_count(part.tensors), format_count(part.parameters),
               memory_text(part.bytes)});
  TextTable body({"tensor", "dtype", "shape", "parameters", "memory"});
  for (const TensorEntry& tensor : info.tensors)
    body.row({tensor.name, tensor.dtype, shape_text(tensor.shape), format_count(tensor.parameters),
              memory_text(tensor.bytes)});
  return head_table(info) + "\n" + parts.text() + "\n" + body.text();
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
