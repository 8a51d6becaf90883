// DeiT as Hugging Face's directories have it: names, config.json.
#include "models/images/deit.h"
#include "models/images/vit_keys.h"

namespace jogak {

DeitConfig::DeitConfig() { style.name = "deit", style.distilled = true; }

const ConfigTable<DeitConfig>& DeitConfig::table() {
  static const ConfigTable<DeitConfig> keys =
      vit_rows<DeitConfig>({{VitHead::none, "DeiTModel"},
                            {VitHead::classes, "DeiTForImageClassification"},
                            {VitHead::taught, "DeiTForImageClassificationWithTeacher"}},
                           vit_pooler_rows<DeitConfig>());
  return keys;
}

Family deit_family() {
  return encoder_family<Deit>(
      {.name = "deit",
       .model_type = "deit",
       .architecture = "DeiTForImageClassification",
       .names = {.prefix = "deit.",
                 .outside = {"classifier.*", "cls_classifier.*", "distillation_classifier.*"},
                 .spellings = vit_spellings()},
       .presets = {{"tiny", grey_images(vit_size(2, 2, 64), 7)},
                   {"small", grey_images(vit_size(4, 4, 128), 4)},
                   {"base", vit_size(12, 12, 768)}},
       .heads = {{EncoderTask::classify, "DeiTForImageClassification"}},
       .head_weights = {"classifier.*", "cls_classifier.*", "distillation_classifier.*",
                        "pooler.*"}});
}

}  // namespace jogak
