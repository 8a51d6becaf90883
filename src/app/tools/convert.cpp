#include "app/tools/convert.h"

#include <optional>

#include "app/models/model.h"
#include "app/models/target.h"
#include "app/models/weight_progress.h"
#include "app/tools/gguf_model.h"
#include "app/tools/gguf_tokenizer.h"
#include "base/file.h"

namespace jogak {
namespace {

std::optional<DType> kept_type(const std::string& name) {
  if (name == "auto") return std::nullopt;
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
    if (name == name_of(dtype)) return dtype;
  fail<UsageError>("dtype: found ", name, ", wanted auto, f32, bf16 or f16");
}

}  // namespace

ModelInfo convert_gguf(const ConvertOptions& o) {
  TargetDirectory target({o.out, o.overwrite, {o.file}}, [](const std::string& name) {
    return is_model_file(name) || is_tokenizer_file(name);
  });
  const std::optional<DType> kept = kept_type(o.dtype);
  const GgufFile file(o.file);
  const Json config = gguf_config(file);
  const TensorSources weights = gguf_weights(file, kept);
  make_directories(target.path());
  write_gguf_tokenizer(file, target.path());
  write_file(join_path(target.path(), "config.json"), config.dump(2) + "\n");
  Json generation = Json::object();
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"})
    if (const Json* id = config.find(key)) generation.set(key, *id);
  write_file(join_path(target.path(), "generation_config.json"), generation.dump(2) + "\n");
  write_weights(target.path(), weights, o.lang == Lang::ko ? "변환" : "converting", o.lang);
  open_model(target.path(), {.use = WeightUse::as_stored});  // one error lists what does not fit
  target.finish();
  return model_info(o.out);
}

}  // namespace jogak
