#include "app/train/recipe_keys.h"

#include <algorithm>

#include "train/optimizer.h"
#include "train/schedule.h"

namespace jogak {
namespace {

constexpr char kTexts[] =
    "text, lines, pairs, masked, masked-lines, labels, tags, answers, captions";
constexpr char kHeldOut[] =
    "text, lines, pairs, masked, masked-lines, labels, tags, answers, images, captions";
constexpr char kSmoothed[] =
    "text, lines, pairs, masked, masked-lines, labels, tags, answers, images";
constexpr char kMade[] =
    "text, lines, pairs, masked, masked-lines, labels, answers, images, captions, series";
constexpr char kMadeApart[] =
    "text, lines, pairs, masked, masked-lines, labels, answers, images, captions";

std::vector<RecipeKey> model_keys(ModelRecipe& m) {
  return {
      {"model",
       "from",
       &m.from,
       {"이어서 학습할 모델 디렉터리; 비우면 새 모델",
        "a model directory to go on from; empty: a fresh model"},
       "\"models/gpt2\""},
      {"model",
       "family",
       &m.family,
       {"새 모델의 종류: seq2seq, t5, bart, gpt2, llama, falcon, bert, vit, patchtst 등",
        "of a fresh model: seq2seq, t5, bart, gpt2, llama, falcon, bert, vit, patchtst and others"},
       "\"bert\""},
      {"model",
       "preset",
       &m.preset,
       {"새 모델의 크기: tiny, small, base", "size of a fresh model: tiny, small, base"},
       "\"small\""},
  };
}

std::vector<RecipeKey> tokenizer_keys(TokenizerRecipe& t) {
  return {
      {"tokenizer",
       "from",
       &t.from,
       {"쓸 토크나이저의 디렉터리나 파일; 비우면 학습 데이터로 배움",
        "a directory or file; empty: trained on the training text"},
       "\"runs/tokenizer\"",
       kTexts},
      {"tokenizer",
       "type",
       &t.type,
       {"배울 때: char, bpe, 문장 쌍은 unigram, BERT는 wordpiece도",
        "when trained: char, bpe; for pairs unigram, for BERT wordpiece"},
       "\"bpe\"",
       kTexts},
      {"tokenizer",
       "vocab_size",
       &t.vocab_size,
       {"bpe, wordpiece, unigram의 토큰 수", "tokens of bpe, wordpiece and unigram"},
       "4000",
       kTexts},
      {"tokenizer",
       "shared",
       &t.shared,
       {"pairs: 두 언어에 한 어휘", "pairs: one vocabulary for both sides"},
       "false",
       "pairs"},
      {"tokenizer",
       "normalize",
       &t.normalize,
       {"pairs: NFKC와 한 칸 띄어쓰기로", "pairs: NFKC and single spaces"},
       "false",
       "pairs"},
      {"tokenizer",
       "source_lang",
       &t.source_lang,
       {"pairs: 여러 언어를 아는 토크나이저에서 원문의 언어",
        "pairs: of a tokenizer of many languages the source's"},
       "\"en_XX\"",
       "pairs"},
      {"tokenizer",
       "target_lang",
       &t.target_lang,
       {"pairs: 번역문의 언어", "pairs: the language of the translations"},
       "\"ko_KR\"",
       "pairs"},
  };
}

std::vector<RecipeKey> data_file_keys(DataRecipe& d) {
  return {
      {"data",
       "kind",
       &d.kind,
       {"text: 긴 글; lines: \"물음 = 답\" 줄; pairs: 문장과 번역; masked, masked-lines: 토큰을 "
        "가린 글이나 "
        "줄; labels: 레이블이 있는 글; tags: 단어마다 태그; answers: 글 안에 답이 있는 물음; "
        "images: 종류마다 한 디렉터리, 또는 IDX; captions: 설명이 있는 그림; series: 시계열",
        "text: one long text; lines: \"prompt = answer\"; pairs: sentences and translations; "
        "masked, "
        "masked-lines: a text or lines with hidden tokens; labels: texts with a label; tags: words "
        "with a tag each; answers: questions whose answers stand in a text; images: a folder for "
        "each class, or IDX files; captions: images with a sentence each; series: measurements in "
        "time"},
       "\"labels\""},
      {"data",
       "train",
       &d.train,
       {"학습할 파일 (images는 디렉터리, pairs는 TSV); .gz와 .zst도",
        "the file to train on (images: a folder, pairs: a TSV), .gz and .zst too"},
       "\"reviews.csv\""},
      {"data",
       "valid",
       &d.valid,
       {"검증할 파일; 비우면 train에서 valid_share만큼",
        "the file to validate with; empty: valid_share of train"},
       "\"reviews-valid.csv\"",
       kHeldOut},
      {"data",
       "source",
       &d.source,
       {"pairs: 원문, target과 줄마다 짝", "pairs: sentences, line by line with target"},
       "\"train.de\"",
       "pairs"},
      {"data",
       "target",
       &d.target,
       {"pairs: 번역문", "pairs: their translations"},
       "\"train.en\"",
       "pairs"},
      {"data",
       "valid_source",
       &d.valid_source,
       {"pairs: 검증할 원문", "pairs: sentences to validate with"},
       "\"valid.de\"",
       "pairs"},
      {"data",
       "valid_target",
       &d.valid_target,
       {"pairs: 그 번역문", "pairs: their translations"},
       "\"valid.en\"",
       "pairs"},
      {"data",
       "source_column",
       &d.source_column,
       {"pairs: TSV에서 원문의 열, 0부터", "pairs: column of the sentences in a TSV, from 0"},
       "1",
       "pairs"},
      {"data",
       "target_column",
       &d.target_column,
       {"pairs: TSV에서 번역문의 열", "pairs: column of the translations in a TSV"},
       "2",
       "pairs"},
      {"data",
       "valid_share",
       &d.valid_share,
       {"검증 파일이 없을 때 떼어 둘 비율", "share kept apart where no validation file is named"},
       "0.05",
       kHeldOut},
  };
}

std::vector<RecipeKey> data_shape_keys(DataRecipe& d) {
  return {
      {"data",
       "make",
       &d.make,
       {"파일 대신 만들어 낼 데이터: dates, sort, shapes (images, captions), series",
        "generated instead of a file: dates, sort, shapes (images, captions), series"},
       "\"dates\"",
       kMade},
      {"data",
       "count",
       &d.count,
       {"만들어 낼 예의 수", "generated examples to train on"},
       "60000",
       kMade},
      {"data",
       "valid_count",
       &d.valid_count,
       {"만들어 낼 검증 예의 수", "generated examples to validate with"},
       "200",
       kMadeApart},
      {"data",
       "longest",
       &d.longest,
       {"sort: 한 줄에 가장 많은 글자 수", "sort: most items of a line"},
       "16",
       "text, lines, pairs, masked, masked-lines"},
      {"data",
       "seed",
       &d.seed,
       {"만들어 내고 떼어 두는 난수 시드", "of generated data and of what is kept apart"},
       "7"},
      {"data",
       "separator",
       &d.separator,
       {"lines: 물음과 답 사이", "lines: between prompt and answer"},
       "\" -> \"",
       "text, lines"},
      {"data",
       "mask_share",
       &d.mask_share,
       {"masked: 가릴 토큰의 비율", "masked: share of the tokens that are hidden"},
       "0.3",
       "masked, masked-lines"},
      {"data",
       "generator",
       &d.generator,
       {"masked: 가린 자리를 이 모델 디렉터리의 추측(\"random\"은 아무 토큰)으로 채우고 바뀐 "
        "토큰을 찾기를 배움 "
        "(ELECTRA)",
        "masked: fill what is hidden with this model directory's guesses, or \"random\" tokens, "
        "and "
        "learn to find them (ELECTRA)"},
       "\"runs/generator\"",
       "masked, masked-lines"},
      {"data",
       "text_column",
       &d.text_column,
       {"labels, captions: 글이 있는 열", "labels, captions: the column of the texts"},
       "\"document\"",
       "labels, captions"},
      {"data",
       "image_column",
       &d.image_column,
       {"captions: 그림 파일 이름이 있는 열, 표가 있는 디렉터리에서부터",
        "captions: the column of the images' names, from the table's folder on"},
       "\"file_name\"",
       "captions"},
      {"data",
       "label_column",
       &d.label_column,
       {"labels: 레이블이 있는 열", "labels: the column of the labels"},
       "\"mood\"",
       "labels"},
      {"data",
       "class_order",
       &d.class_order,
       {"레이블의 차례: sorted, 또는 나온 대로 first",
        "order of the labels: sorted, or first, as they come"},
       "\"first\"",
       "labels, tags"},
      {"data",
       "train_labels",
       &d.train_labels,
       {"images: IDX 파일의 레이블; 비우면 이름으로 찾음",
        "images: labels of an IDX file; empty: by its name"},
       "\"train-labels-idx1-ubyte\"",
       "images"},
      {"data",
       "valid_labels",
       &d.valid_labels,
       {"images: 검증할 IDX 파일의 레이블", "images: labels of the IDX file to validate with"},
       "\"t10k-labels-idx1-ubyte\"",
       "images"},
      {"data",
       "date_column",
       &d.date_column,
       {"series: 날짜 열", "series: the column of the dates"},
       "\"when\"",
       "series"},
      {"data",
       "series",
       &d.series,
       {"series: 쓸 열들; 비우면 모두", "series: which columns; empty: all"},
       "\"load, wind\"",
       "series"},
      {"data",
       "missing",
       &d.missing,
       {"series: 빈 칸을 채우는 법: ffill 앞의 값으로, linear 양옆을 잇는 선으로, refuse 거절",
        "series: cells without a value: ffill takes the one before, linear draws a line, refuse "
        "refuses"},
       "\"linear\"",
       "series"},
      {"data",
       "train_rows",
       &d.train_rows,
       {"series: 학습할 줄 수; 셋 모두 0이면 70, 10, 20 %",
        "series: rows to train on; all three 0: 70, 10 and 20 %"},
       "8640",
       "series"},
      {"data",
       "valid_rows",
       &d.valid_rows,
       {"series: 검증할 줄 수", "series: rows to validate with"},
       "2880",
       "series"},
      {"data",
       "test_rows",
       &d.test_rows,
       {"series: 시험할 줄 수", "series: rows to test on"},
       "2880",
       "series"},
      {"data",
       "where",
       &d.where,
       {"파일이 없을 때 알려 줄 구하는 곳", "told when a file is missing: where to get it"},
       "\"https://example.org\""},
  };
}

std::vector<RecipeKey> step_keys(TrainRecipe& n) {
  return {
      {"train", "steps", &n.steps, {"스텝 수", "steps"}, "5000"},
      {"train", "batch", &n.batch, {"한 스텝의 예 수", "examples a step"}, "32"},
      {"train",
       "batch_tokens",
       &n.batch_tokens,
       {"pairs: 한 묶음 한쪽의 최대 토큰 수; 0이면 batch 문장",
        "pairs: most tokens of a side of a batch; 0: `batch` sentences"},
       "4096",
       "pairs"},
      {"train",
       "accumulate",
       &n.accumulate,
       {"한 스텝을 나누어 계산할 조각 수, 메모리를 아낌",
        "pieces a step is computed in, to save memory"},
       "4"},
      {"train",
       "micro_batches",
       &n.micro_batches,
       {"한 스텝을 나눌 조각 수(2의 거듭제곱): 프로세스 수와 상관없이 같은 비트; 0이면 프로세스 "
        "하나",
        "pieces of a step, a power of two: the same bits for any number of processes; 0: one "
        "process"},
       "8"},
      {"train",
       "context",
       &n.context,
       {"예 하나의 최대 토큰 수; 0이면 모델대로", "most tokens of an example; 0: the model's"},
       "256",
       kTexts},
      {"train",
       "recompute",
       &n.recompute,
       {"블록의 입력만 두고 뒤로 갈 때 다시 계산: 메모리는 적게, 시간은 더",
        "keep of each block its input alone: less memory, more time"},
       "true"},
      {"train",
       "optimizer",
       &n.optimizer.kind,
       {"adamw, adam, sgd", "adamw, adam or sgd"},
       "\"sgd\""},
      {"train",
       "schedule",
       &n.schedule.kind,
       {"학습률의 길: constant, linear, cosine, inverse_sqrt, noam, wsd, one_cycle",
        "of the learning rate: constant, linear, cosine, inverse_sqrt, noam, wsd, one_cycle"},
       "\"linear\""},
      {"train", "lr", &n.schedule.rate, {"가장 높은 학습률", "the highest learning rate"}, "3e-4"},
      {"train",
       "min_lr",
       &n.schedule.final_rate,
       {"마지막 학습률 (linear, cosine, wsd)", "the last learning rate (linear, cosine, wsd)"},
       "0"},
      {"train",
       "warmup",
       &n.schedule.warmup,
       {"학습률이 올라가는 스텝 수", "steps in which the learning rate rises"},
       "400"},
      {"train",
       "decay_steps",
       &n.schedule.decay,
       {"wsd: 끝에서 내려가는 스텝 수", "wsd: steps of the fall at the end"},
       "500"},
      {"train", "beta1", &n.optimizer.beta1, {"adam, adamw", "adam and adamw"}, "0.95"},
      {"train", "beta2", &n.optimizer.beta2, {"adam, adamw", "adam and adamw"}, "0.98"},
      {"train", "eps", &n.optimizer.eps, {"adam, adamw", "adam and adamw"}, "1e-9"},
      {"train",
       "weight_decay",
       &n.optimizer.weight_decay,
       {"행렬의 감쇠; -1이면 adamw는 0.1, 다른 것은 없음",
        "of matrices; -1: 0.1 with adamw, none with the others"},
       "0.01"},
      {"train", "momentum", &n.optimizer.momentum, {"sgd", "sgd"}, "0.8"},
      {"train",
       "clip",
       &n.clip,
       {"기울기의 최대 길이; 0이면 그대로", "largest norm of the gradient; 0: any"},
       "0.5"},
      {"train",
       "label_smoothing",
       &n.label_smoothing,
       {"pairs: 정답에서 덜어 낼 확률", "pairs: probability taken from the right answer"},
       "0.1",
       kSmoothed},
  };
}

std::vector<RecipeKey> run_keys(TrainRecipe& n) {
  return {
      {"train",
       "metric",
       &n.metric,
       {"가장 좋은 가중치를 고르는 점수: loss, bleu, chrf, exact, accuracy, f1",
        "what decides which weights are best: loss, bleu, chrf, exact, accuracy, f1"},
       "\"bleu\""},
      {"train",
       "bleu_tokenize",
       &n.bleu_tokenize,
       {"bleu가 단어를 나누는 법: 13a, char, none", "how bleu cuts words: 13a, char, none"},
       "\"char\"",
       "pairs"},
      {"train",
       "average",
       &n.average,
       {"끝에 평균을 시험할 최근 체크포인트 수",
        "newest checkpoints whose mean is tried at the end"},
       "5"},
      {"train",
       "lora_rank",
       &n.lora_rank,
       {"0이면 모든 가중치, 아니면 model.from의 이 계수의 어댑터만",
        "0: every weight learns; else adapters of this rank, of model.from"},
       "8",
       kTexts},
      {"train",
       "lora_alpha",
       &n.lora_alpha,
       {"어댑터의 크기는 alpha / rank; 0이면 rank의 두 배",
        "scale of the adapters is alpha / rank; 0: twice the rank"},
       "16",
       kTexts},
      {"train",
       "lora_targets",
       &n.lora_targets,
       {"어댑터를 붙일 층들; 비우면 그 종류의 보통",
        "layers that get adapters; empty: the family's usual"},
       "\"q_proj, v_proj\"",
       kTexts},
      {"train",
       "off",
       &n.off,
       {"학습에서 뺄 부분, ablate --off처럼",
        "parts that training does without, as ablate --off names them"},
       "\"mask\""},
      {"train",
       "eval_every",
       &n.eval_every,
       {"검증 사이의 스텝; 0이면 끝에만", "steps between validations; 0: at the end only"},
       "500"},
      {"train",
       "checkpoint_every",
       &n.checkpoint_every,
       {"저장 사이의 스텝; 0이면 끝에만", "steps between checkpoints; 0: at the end only"},
       "200"},
      {"train", "keep", &n.keep, {"남길 체크포인트 수", "checkpoints to keep"}, "5"},
      {"train",
       "patience",
       &n.patience,
       {"나아지지 않는 검증이 이만큼이면 끝; 0이면 끝까지",
        "validations without a better one before training ends; 0: off"},
       "3"},
      {"train",
       "log_every",
       &n.log_every,
       {"기록 사이의 스텝", "steps to a line of metrics"},
       "50"},
      {"train",
       "seed",
       &n.seed,
       {"가중치, 예의 차례, 드롭아웃의 시드", "of the weights, the order of examples and dropout"},
       "1"},
      {"train",
       "dtype",
       &n.dtype,
       {"계산하는 수의 형식: f32 또는 bf16 (가중치는 f32로 배움)",
        "numbers to compute with: f32 or bf16 (weights learn in f32)"},
       "\"f32\""},
  };
}

std::vector<RecipeKey> study_keys(StudyRecipe& s) {
  return {
      {"study",
       "vary",
       &s.vary,
       {"jogak study가 바꿀 값들; 여럿이면 ;로 나누어 모든 조합",
        "what jogak study varies; several, apart by ;, are every combination"},
       "\"model.heads=1,8; train.warmup=0,50\""},
      {"study", "seeds", &s.seeds, {"변형마다 몇 번", "runs of each variant"}, "3"},
      {"study",
       "test",
       &s.test,
       {"학습한 모델을 한 번 더 잴 설정",
        "settings with which trained models are measured once more"},
       "\"train.context=64\""},
      {"study",
       "fit",
       &s.fit,
       {"손실에 E + A / N^a + B / D^b를 맞출지 (N 매개변수, D 토큰)",
        "whether E + A / N^a + B / D^b is fitted to the losses (N parameters, D tokens)"},
       "true"},
      {"study",
       "predict",
       &s.predict,
       {"fit가 손실을 미리 말하고 나서 학습해 볼 실행의 설정",
        "settings of the run whose loss fit foretells and then checks"},
       "\"model.d_model=96; model.heads=6\""},
  };
}

const char* kind_of(const RecipeField& field, Lang lang) {
  const bool ko = lang == Lang::ko;
  if (std::holds_alternative<bool*>(field)) return ko ? "참거짓" : "true or false";
  if (std::holds_alternative<double*>(field)) return ko ? "수" : "number";
  if (std::holds_alternative<int64_t*>(field) || std::holds_alternative<uint64_t*>(field))
    return ko ? "정수" : "whole number";
  return ko ? "글" : "text";
}

}  // namespace

std::vector<RecipeKey> recipe_keys(Recipe& r) {
  std::vector<RecipeKey> out = model_keys(r.model);
  for (auto& more : {tokenizer_keys(r.tokenizer), data_file_keys(r.data), data_shape_keys(r.data),
                     step_keys(r.train), run_keys(r.train), study_keys(r.study)})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

bool RecipeKey::is_for(const std::string& kind) const {
  const std::vector<std::string> all = split_list(kinds);
  return all.empty() || std::find(all.begin(), all.end(), kind) != all.end();
}

Json value_of(const RecipeField& field) {
  return std::visit(
      [](auto* value) {
        using T = std::remove_pointer_t<decltype(value)>;
        if constexpr (std::is_same_v<T, uint64_t>)
          return Json(static_cast<int64_t>(*value));
        else if constexpr (std::is_enum_v<T>)
          return Json(name_of(*value));
        else
          return Json(*value);
      },
      field);
}

std::string recipe_keys_page(Lang lang) {
  const bool ko = lang == Lang::ko;
  std::string out =
      ko ? "# 레시피의 키\n\n`jogak train RECIPE.toml`이 읽는 모든 키입니다. `--set "
           "절.키=값`으로도 "
           "바꿉니다. 이 글은 `jogak train --keys`가 씁니다.\n"
         : "# Keys of a recipe\n\nEvery key that `jogak train RECIPE.toml` reads; `--set "
           "section.key=value` changes one. This page is what `jogak train --keys` "
           "prints.\n";
  Recipe defaults;
  std::string section;
  for (const RecipeKey& k : recipe_keys(defaults)) {
    if (section != k.section) {
      section = k.section;
      out += "\n## [" + section + "]\n\n";
      if (section == "model")
        out += ko ? "그 밖의 키는 config.json의 키입니다: `n_layer = 4`.\n\n"
                  : "Any other key here is one of config.json: `n_layer = 4`.\n\n";
      out += ko ? "| 키 | 종류 | 기본값 | 뜻 | 예 |\n|---|---|---|---|---|\n"
                : "| key | kind | default | meaning | example |\n|---|---|---|---|---|\n";
    }
    out += text_of("| `", k.key, "` | ", kind_of(k.field, lang), " | `", value_of(k.field).dump(),
                   "` | ", k.about(lang), " | `", k.key, " = ", k.example, "` |\n");
  }
  return out;
}

}  // namespace jogak
