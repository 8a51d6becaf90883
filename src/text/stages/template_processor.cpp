// TemplateProcessing: special tokens and texts in the order that the file writes down.
#include <algorithm>
#include <utility>

#include "text/reading.h"
#include "text/stages/post_processor.h"

namespace jogak::text {
namespace {

struct TemplatePiece {
  std::string name;  // of special tokens; empty: a text
  size_t text = 0;   // which
  int type_id = 0;
};

struct NamedTokens {
  std::string name;
  std::vector<SpecialToken> tokens;
};

class TemplateProcessor : public PostProcessor {
 public:
  std::vector<TemplatePiece> single, pair;
  std::vector<NamedTokens> named;  // in the order of the file

  void process(std::vector<Encoding>& parts, bool add_special) const override {
    const auto& pieces = parts.size() == 2 ? pair : single;
    std::vector<Encoding> out;
    const bool ids_only = parts[0].ids_only;
    for (const TemplatePiece& piece : pieces) {
      if (piece.name.empty()) {
        if (piece.text >= parts.size()) continue;
        Encoding& text = parts[piece.text];
        std::fill(text.type_ids.begin(), text.type_ids.end(), piece.type_id);
        out.push_back(text);
      } else if (add_special) {
        Encoding special;
        special.ids_only = ids_only;
        for (const SpecialToken& token : tokens_of(piece.name))
          append_special(special, token, piece.type_id);
        out.push_back(std::move(special));
      }
    }
    if (out.empty()) out.emplace_back().ids_only = ids_only;
    parts = std::move(out);
  }

  size_t added(bool is_pair) const override {
    size_t sum = 0;
    for (const TemplatePiece& piece : is_pair ? pair : single)
      if (!piece.name.empty()) sum += tokens_of(piece.name).size();
    return sum;
  }

  Json to_json() const override {
    Json special = Json::object();
    for (const NamedTokens& one : named) {
      Json ids = Json::array(), tokens = Json::array();
      for (const SpecialToken& token : one.tokens) {
        ids.push(token.id);
        tokens.push(token.token);
      }
      special.set(one.name, Json::object({{"id", one.name}, {"ids", ids}, {"tokens", tokens}}));
    }
    return Json::object({{"type", "TemplateProcessing"},
                         {"single", pieces_json(single)},
                         {"pair", pieces_json(pair)},
                         {"special_tokens", special}});
  }

  bool knows(const std::string& name) const { return find(name) != named.end(); }

 private:
  std::vector<NamedTokens>::const_iterator find(const std::string& name) const {
    return std::find_if(named.begin(), named.end(),
                        [&](const NamedTokens& one) { return one.name == name; });
  }
  const std::vector<SpecialToken>& tokens_of(const std::string& name) const {
    return find(name)->tokens;  // reading has checked that it is there
  }

  static Json pieces_json(const std::vector<TemplatePiece>& pieces) {
    Json list = Json::array();
    for (const TemplatePiece& piece : pieces) {
      const bool text = piece.name.empty();
      const std::string id = !text ? piece.name : piece.text == 0 ? "A" : "B";
      list.push(Json::object({{text ? "Sequence" : "SpecialToken",
                               Json::object({{"id", id}, {"type_id", piece.type_id}})}}));
    }
    return list;
  }
};

std::vector<SpecialToken> read_tokens(const Fields& fields) {
  only_keys(fields, {"id", "ids", "tokens"});
  const auto &ids = fields.list("ids"), &tokens = fields.list("tokens");
  if (ids.size() != tokens.size())
    fail<FormatError>(fields.file(), ": byte ", fields.at("ids").offset(), ": found ", ids.size(),
                      " ids for ", tokens.size(), " tokens, wanted as many");
  std::vector<SpecialToken> out;
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool good = ids[i].is_integer() && ids[i].integer() >= 0 && ids[i].integer() <= INT32_MAX;
    if (!good) fields.wrong(ids[i], "ids", "ids from 0");
    if (!tokens[i].is_string()) fields.wrong(tokens[i], "tokens", "strings");
    out.push_back({static_cast<int>(ids[i].integer()), tokens[i].text()});
  }
  return out;
}

TemplatePiece read_piece(const Json& json, const TemplateProcessor& of, size_t texts,
                         const std::string& file) {
  const Fields fields(json, file);
  only_keys(fields, {"Sequence", "SpecialToken"});
  const bool text = fields.has("Sequence");
  if (text == fields.has("SpecialToken"))
    fail<FormatError>(file, ": byte ", json.offset(),
                      ": a part of a template is either a \"Sequence\" or a \"SpecialToken\"");
  const Fields inner = fields.object(text ? "Sequence" : "SpecialToken");
  only_keys(inner, {"id", "type_id"});
  TemplatePiece out;
  out.type_id = static_cast<int>(inner.integer("type_id", {0, INT32_MAX}));
  const std::string& id = inner.text("id");
  if (text) {
    if (id != "A" && (id != "B" || texts < 2))
      inner.wrong(inner.at("id"), "id", texts < 2 ? "\"A\"" : "\"A\" or \"B\"");
    out.text = id == "A" ? 0 : 1;
  } else {
    if (id.empty() || !of.knows(id))
      fail<FormatError>(file, ": byte ", inner.at("id").offset(), ": special token ", shown(id),
                        " is not among \"special_tokens\"");
    out.name = id;
  }
  return out;
}

}  // namespace

std::unique_ptr<PostProcessor> read_template(const Fields& fields) {
  only_keys(fields, {"type", "single", "pair", "special_tokens"});
  auto out = std::make_unique<TemplateProcessor>();
  for (const auto& [name, value] : fields.object("special_tokens").json().members())
    out->named.push_back({name, read_tokens(Fields(value, fields.file()))});
  for (const Json& piece : steps_of(fields, "single"))
    out->single.push_back(read_piece(piece, *out, 1, fields.file()));
  for (const Json& piece : steps_of(fields, "pair"))
    out->pair.push_back(read_piece(piece, *out, 2, fields.file()));
  return out;
}

std::unique_ptr<PostProcessor> make_bert_template(const SpecialToken& cls,
                                                  const SpecialToken& sep) {
  auto out = std::make_unique<TemplateProcessor>();
  out->named = {{cls.token, {cls}}, {sep.token, {sep}}};
  out->single = {{cls.token}, {{}, 0, 0}, {sep.token}};
  out->pair = {{cls.token}, {{}, 0, 0}, {sep.token}, {{}, 1, 1}, {sep.token, 0, 1}};
  return out;
}

}  // namespace jogak::text
