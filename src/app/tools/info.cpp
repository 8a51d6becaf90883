#include "app/tools/info.h"

#include <algorithm>
#include <unordered_map>

#include "app/use/text_reader.h"
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
  for (const char* name : {"tokenizer.json", "vocab.json", "encoder.json", "vocab.txt"}) {
    if (!file_exists(join_path(directory, name))) continue;
    Json out = Json::object();
    out.set("file", name);
    out.set("vocab", Tokenizer::load(directory).vocab_size());
    return out;
  }
  return {};
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

// Tensors, parameters and bytes of each part, in the order of the file.
class Modules {
 public:
  void add(const std::string& tensor, const TensorInfo& info) {
    const std::string name = module_of(tensor);
    const auto [at, fresh] = place_.emplace(name, list_.size());
    if (fresh) list_.push_back({name});
    One& one = list_[at->second];
    ++one.tensors;
    one.parameters += info.shape.count();
    one.bytes += static_cast<int64_t>(info.bytes());
  }

  Json json() const {
    Json out = Json::array();
    for (const One& m : list_) {
      Json one = Json::object();
      one.set("name", m.name).set("tensors", m.tensors).set("parameters", m.parameters);
      out.push(std::move(one.set("bytes", m.bytes)));
    }
    return out;
  }

 private:
  struct One {
    std::string name;
    int64_t tensors = 0, parameters = 0, bytes = 0;
  };
  std::vector<One> list_;
  std::unordered_map<std::string, size_t> place_;
};

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

void set_encoder(const EncoderModel& m, Json& out) {
  if (m.task == EncoderTask::forecast) {
    out.set("series", m.channels).set("context", m.context).set("horizon", m.horizon);
    return;
  }
  if (m.vocab == 0) {
    out.set("image", Json::array({m.image[0], m.image[1]})).set("channels", m.channels);
  } else {
    out.set("vocab", m.vocab).set("context", m.context);
  }
  if (m.task == EncoderTask::classify || m.task == EncoderTask::tag)
    out.set("labels", Json::list(m.labels.names));
}

std::string memory_text(const Json& bytes) {
  return format_bytes(static_cast<uint64_t>(bytes.integer()));
}

std::string labels_text(const std::vector<Json>& labels) {
  constexpr size_t kShown = 8;
  std::string out = format_count(static_cast<int64_t>(labels.size())) + ": ";
  for (size_t i = 0; i < std::min(labels.size(), kShown); ++i)
    out += (i > 0 ? ", " : "") + labels[i].text();
  return out + (labels.size() > kShown ? ", .." : "");
}

std::string head_table(const Json& info) {
  TextTable head({"", ""});
  const auto number = [&](const char* row, const char* key) {
    if (const Json* value = info.find(key)) head.row({row, format_count(value->integer())});
  };
  head.row({"family", info.find("model_type")->text()});
  head.row({"command", info.find("command")->text()});
  number("parameters", "parameters");
  head.row({"weights", memory_text(*info.find("bytes"))});
  head.row({"memory", memory_text(*info.find("memory_bytes"))});
  number("layers", "layers");
  number("width", "width");
  number("vocabulary", "vocab");
  if (const Json* image = info.find("image"))
    head.row({"image", text_of(image->items()[0].integer(), " x ", image->items()[1].integer(),
                               ", channels: ", info.find("channels")->integer())});
  number("series", "series");
  number("context", "context");
  number("horizon", "horizon");
  if (const Json* labels = info.find("labels")) head.row({"labels", labels_text(labels->items())});
  if (const Json* t = info.find("tokenizer"))
    head.row({"tokenizer", t->is_null()
                               ? "none"
                               : text_of(t->find("file")->text(), ", ",
                                         format_count(t->find("vocab")->integer()), " tokens")});
  return head.text();
}

}  // namespace

Json model_info(const std::string& directory) {
  const Model model = open_model(directory, {.allow_nonfinite = true, .use = WeightUse::as_stored});
  const ModelFiles files(directory);
  std::vector<std::string> names = files.names();
  std::sort(names.begin(), names.end(), by_number);
  Json tensors = Json::array();
  Modules modules;
  for (const std::string& name : names) {
    const TensorInfo& info = files.info(name);
    Json one = Json::object();
    one.set("name", name).set("dtype", info.type->name).set("shape", Json::list(info.shape));
    one.set("parameters", info.shape.count()).set("bytes", static_cast<int64_t>(info.bytes()));
    tensors.push(std::move(one));
    modules.add(name, info);
  }
  int64_t memory = 0;
  for (const Param& p : model.store->all())
    memory += p.value.count() * static_cast<int64_t>(size_of(p.value.dtype()));
  Json out = Json::object();
  out.set("schema", 1).set("model_type", model.model_type).set("command", command_for(model));
  out.set("parameters", model.store->count());
  out.set("bytes", static_cast<int64_t>(files.bytes())).set("memory_bytes", memory);
  out.set("layers", model.layers).set("width", model.width);
  if (model.encodes())
    set_encoder(model.encoder, out);
  else
    out.set("vocab", model.vocab).set("context", model.context);
  if (model.vocab > 0) out.set("tokenizer", tokenizer_info(directory));
  return std::move(out.set("modules", modules.json()).set("tensors", std::move(tensors)));
}

std::string info_table(const Json& info) {
  TextTable parts({"part", "tensors", "parameters", "memory"});
  for (const Json& part : info.find("modules")->items())
    parts.row({part.find("name")->text(), format_count(part.find("tensors")->integer()),
               format_count(part.find("parameters")->integer()), memory_text(*part.find("bytes"))});
  TextTable body({"tensor", "dtype", "shape", "parameters", "memory"});
  for (const Json& tensor : info.find("tensors")->items())
    body.row({tensor.find("name")->text(), tensor.find("dtype")->text(),
              tensor.find("shape")->dump(), format_count(tensor.find("parameters")->integer()),
              memory_text(*tensor.find("bytes"))});
  return head_table(info) + "\n" + parts.text() + "\n" + body.text();
}

}  // namespace jogak
