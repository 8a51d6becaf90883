#include "app/train/train_job.h"

#include "base/hash/hash.h"

namespace jogak {

// What was read from a .model is its bytes and the ids of its pieces: a side of Marian's pair has
// no tokenizer.json.
void add_tokenizer(TrainTask& task, const char* name, const Tokenizer& tokenizer) {
  Sha256 hash;
  if (tokenizer.spm().empty()) {
    hash.update(tokenizer.to_json());
  } else {
    hash.update(tokenizer.spm());
    for (int id = 0; id < tokenizer.vocab_size(); ++id)
      hash.update(tokenizer.id_to_token(id).value_or("")).update("\n");
  }
  task.inputs.emplace_back(name, kContents + hash.hex());
}

std::unique_ptr<TrainJob> make_job(const TrainRequest& c, ModelPlace place,
                                   const std::string& cache) {
  const std::string& kind = c.recipe.data.kind;
  if (kind == "pairs") return make_pair_job(c, place);
  if (kind == "masked" || kind == "masked-lines") return make_masked_job(c, place, cache);
  if (kind == "labels") return make_label_job(c, place);
  if (kind == "tags") return make_tag_job(c, place);
  if (kind == "answers") return make_answer_job(c, place);
  if (kind == "images") return make_image_job(c, place);
  if (kind == "captions") return make_caption_job(c, place);
  if (kind == "series") return make_series_job(c, place);
  return make_text_job(c, place, cache);
}

}  // namespace jogak
