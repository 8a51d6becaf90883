#include "text/spm/m2m_files.h"

#include <sstream>

#include "base/file.h"
#include "base/json_document.h"
#include "text/spm/marian_files.h"

namespace jogak::text {
namespace {

// In the order of their ids.
constexpr const char* kM2m100 =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu "
    "ha "
    "he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my "
    "ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz "
    "vi wo xh yi yo zh zu";
constexpr const char* kWmt21 = "en ha is ja cs ru zh de";

}  // namespace

Tokenizer load_m2m(const std::string& directory) {
  const auto path = [&](const char* name) { return join_path(directory, name); };
  const std::string config = path("tokenizer_config.json");
  const Json json = file_exists(config) ? read_json_file(config) : Json::object();
  const Fields fields(json, config);
  std::string codes = "m2m100";
  if (fields.has("language_codes")) codes = fields.text("language_codes");
  if (codes != "m2m100" && codes != "wmt21")
    fields.wrong(fields.at("language_codes"), "language_codes", "m2m100 or wmt21");
  const std::string spm = read_file(path(kM2mModel));
  const MappedFile file(path(kM2mVocab));
  Vocab vocab = Vocab::read(JsonDocument(file.text(), path(kM2mVocab)).root());
  MarianTokens tokens = MarianTokens::read(json, config);
  std::istringstream list(codes == "m2m100" ? kM2m100 : kWmt21);
  int id = vocab.size();
  tokens.added.clear();  // languages and tokens with a role are all there are
  for (std::string code; list >> code;)
    tokens.added.push_back({.id = id++, .content = "__" + code + "__", .special = true});
  return make_marian_side({spm, spm, std::move(vocab), std::move(tokens)}, path(kM2mModel),
                          path(kM2mVocab));
}

}  // namespace jogak::text
