#include "models/families.h"

#include "base/listing.h"
#include "base/suggest.h"

// Each family once, in the order in which they are told of: NAME_family() stands in its own file.
// clang-format off
#define JOGAK_FAMILIES(family) \
  family(gpt2) family(marian) family(llama) family(falcon) family(bert) family(vit) family(patchtst) \
  family(qwen2) family(qwen3) family(mistral) family(gemma) family(gemma2) family(gemma3_text) \
  family(phi3) family(olmo2) family(smollm3) family(gpt_neox) family(opt) \
  family(roberta) family(xlm_roberta) family(distilbert) family(electra) \
  family(modernbert) family(mpnet) family(deberta_v2) family(deit) family(dinov2) family(patchtsmixer) family(timesfm) family(clip) \
  family(mixtral) family(exaone4) family(starcoder2) family(stablelm) family(t5) family(bart) family(mbart) family(m2m_100) family(lab)
// clang-format on

namespace jogak {

#define JOGAK_DECLARE(name) Family name##_family();
JOGAK_FAMILIES(JOGAK_DECLARE)

const std::vector<Family>& families() {
#define JOGAK_LIST(name) name##_family(),
  static const std::vector<Family> list = {JOGAK_FAMILIES(JOGAK_LIST)};
  return list;
}

const Family& family_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Family& family : families()) {
    if (name == family.name) return family;
    known.emplace_back(family.name);
  }
  fail<UsageError>("unknown family '", name, "', wanted one of ", first_of(known),
                   did_you_mean(name, known));
}

const Family& family_of(const Json& config, const std::string& file) {
  const Fields fields(config, file);
  const std::string& type = fields.text("model_type");
  std::vector<std::string> known;
  for (const Family& family : families()) {
    known.emplace_back(family.model_type);
    if (type != family.model_type) continue;
    refuse_remote_code(fields, type);
    refuse_quantized(fields);
    if (family.writes_text) refuse_other_heads(fields, family.architecture);
    return family;
  }
  fields.wrong(
      fields.at("model_type"), "model_type",
      "one of " + first_of(known) + did_you_mean(type, known) + remote_code_asked_for(fields));
}

}  // namespace jogak
