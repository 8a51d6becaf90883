#include <unistd.h>

#include <algorithm>

#include "app/tools/tokenizer.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/signals.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

// An option that says nothing about this type is told, not obeyed in silence.
void warn_unused(const Context& c, const std::string& type, const char* option,
                 const std::vector<std::string>& types) {
  if (!c.args.given(option) || std::find(types.begin(), types.end(), type) != types.end()) return;
  const std::string name = text_of("--", option, ": "), list = joined(types, c.lang());
  log_warning(c.lang() == Lang::ko ? name + list + "에서만 뜻이 있습니다"
                                   : name + "has a meaning for " + list + " only");
}

int train_tokenizer(const Context& c) {
  const Args& args = c.args;
  TokenizerTraining t;
  t.type = args.text("type");
  warn_unused(c, t.type, "min-frequency", {"bpe", "wordpiece"});
  warn_unused(c, t.type, "metaspace", {"bpe"});
  warn_unused(c, t.type, "lowercase", {"wordpiece"});
  t.vocab_size = t.type == "char" && !args.given("vocab-size") ? 0 : args.integer("vocab-size");
  t.min_frequency = args.integer("min-frequency");
  t.normalize = args.text("normalize");
  t.metaspace = t.type == "bpe" && args.flag("metaspace");
  t.lowercase = t.type == "wordpiece" && args.flag("lowercase");
  t.special = args.list("special");
  t.unk = args.text("unk");
  t.files = args.list("files");
  t.out = args.text("out");
  t.overwrite = args.flag("overwrite");
  t.lang = c.lang();
  t.stop = &stop_flag();
  if (t.files.empty()) Complaint{c.lang()}.missing_option("--files");
  if (t.out.empty()) Complaint{c.lang()}.missing_option("--out");
  const TrainedTokenizer made = train_tokenizer(t);
  if (args.flag("json")) {
    c.out.line(to_json(made).dump());
    return 0;
  }
  const std::string size = format_count(made.vocab_size);
  c.out.line(c.lang() == Lang::ko ? "토큰 " + size + "개: " + t.out + "/tokenizer.json"
                                  : size + " tokens: " + t.out + "/tokenizer.json");
  return 0;
}

template <class Work>
int each_line(const Context& c, Work&& work) {
  LineReader in(STDIN_FILENO, "standard input", &stop_flag(), max_line(c.args));
  in.before_waiting([&] { c.out.flush(); });
  work(in, [&](std::string_view text) { c.out.write(text); });
  return 0;
}

int encode(const Context& c) {
  return each_line(c, [&](LineReader& in, const Sink& out) {
    encode_lines({.tokenizer = c.args.operand("DIR_OR_FILE"),
                  .jsonl = c.args.flag("jsonl"),
                  .special = !c.args.flag("no-special")},
                 in, out);
  });
}

int decode(const Context& c) {
  return each_line(c, [&](LineReader& in, const Sink& out) {
    decode_lines({.tokenizer = c.args.operand("DIR_OR_FILE"),
                  .jsonl = c.args.flag("jsonl"),
                  .keep_special = c.args.flag("keep-special")},
                 in, out);
  });
}

Operand tokenizer_operand() {
  return {"DIR_OR_FILE",
          {"모델 디렉터리, tokenizer.json, SentencePiece .model 또는 BERT의 vocab.txt",
           "a model directory, a tokenizer.json, a SentencePiece .model or BERT's vocab.txt"}};
}

std::vector<Option> tokenizer_train_options() {
  return {
      {.name = "type",
       .help = {"종류", "kind"},
       .value = "TYPE",
       .fallback = "bpe",
       .choices = tokenizer_types()},
      {.name = "vocab-size",
       .help = {"토큰 수, 특수 토큰(bpe: 256바이트도) 포함; char에서는 최댓값",
                "tokens, special ones (bpe: and the 256 bytes) included; char: at most"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "8192",
       .low = 1,
       .high = 1 << 30},
      {.name = "min-frequency",
       .help = {"bpe, wordpiece: 합칠 쌍이 나와야 하는 횟수",
                "bpe, wordpiece: how often a pair must occur to be merged"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "2",
       .low = 0},
      {.name = "normalize",
       .help = {"글을 먼저 맞출 유니코드 정규형 [nfc]",
                "Unicode form that text is brought to first [nfc]"},
       .value = "FORM",
       .choices = tokenizer_normal_forms()},
      {.name = "metaspace",
       .help = {"bpe: 바이트 대신 글자로, 띄어쓰기는 SentencePiece처럼 ▁로",
                "bpe: characters instead of bytes, spaces as ▁ like SentencePiece"},
       .kind = Kind::flag},
      {.name = "lowercase",
       .help = {"wordpiece: 소문자로", "wordpiece: small letters"},
       .kind = Kind::flag},
      {.name = "special",
       .help = {"특수 토큰 [wordpiece: [PAD] [UNK] [CLS] [SEP] [MASK]]",
                "special tokens [wordpiece: [PAD] [UNK] [CLS] [SEP] [MASK]]"},
       .value = "TOKEN",
       .times = Times::list},
      {.name = "unk",
       .help = {"char, wordpiece, unigram: 본 적 없는 것을 대신할 토큰",
                "char, wordpiece, unigram: stands for what was not seen"},
       .value = "TOKEN"},
      {.name = "files",
       .help = {"학습할 글, .gz와 .zst도", "the text to train on, .gz and .zst too"},
       .value = "FILE",
       .times = Times::list},
      {.name = "out", .help = {"쓸 디렉터리", "the directory to write"}, .value = "DIR"},
      overwrite_option(),
      json_option(),
  };
}

Command train_part() {
  Command out{.name = "train",
              .summary = {"글에서 토크나이저를 학습합니다", "trains a tokenizer on text"}};
  out.options = tokenizer_train_options();
  out.examples = {
      {"jogak data make dates text.txt", {"배울 글", "a text to learn from"}},
      {"jogak tokenizer train --type bpe --vocab-size 400 --special '<|endoftext|>' --files "
       "text.txt --out tok",
       {"바이트 단위 BPE", "byte-level BPE"}},
      {"jogak tokenizer train --type bpe --metaspace --vocab-size 400 --files text.txt --out "
       "tok-spaces",
       {"띄어쓰기가 ▁인 글자 단위 BPE", "BPE over characters, spaces as ▁"}},
      {"jogak tokenizer train --type wordpiece --vocab-size 400 --files text.txt --out tok-words",
       {"BERT의 WordPiece", "BERT's WordPiece"}},
      {"jogak tokenizer train --type unigram --vocab-size 200 --files text.txt --out tok-unigram",
       {"SentencePiece 유니그램: tokenizer.json과 tokenizer.model",
        "SentencePiece's unigram: tokenizer.json and tokenizer.model"}},
      {"jogak tokenizer train --type char --files text.txt --out tok-char",
       {"글자 하나가 토큰 하나", "one token for each character"}},
  };
  out.run = train_tokenizer;
  return out;
}

// An example, and what must be there before it.
std::vector<Example> after_training(Example example) {
  return {{"jogak data make dates text.txt", {"배울 글", "a text to learn from"}},
          {"jogak tokenizer train --type bpe --vocab-size 400 --files text.txt --out tok",
           {"바이트 단위 BPE", "byte-level BPE"}},
          std::move(example)};
}

Command encode_part() {
  Command out{
      .name = "encode",
      .summary = {"표준 입력의 줄마다 토큰으로: {\"ids\",\"tokens\",\"offsets\"}",
                  "each line of standard input to tokens: {\"ids\",\"tokens\",\"offsets\"}"}};
  out.operands = {tokenizer_operand()};
  out.options = {
      {.name = "jsonl",
       .help = {"한 줄에 JSON 문자열 하나", "one JSON string a line"},
       .kind = Kind::flag},
      {.name = "no-special",
       .help = {"앞뒤에 특수 토큰을 붙이지 않습니다", "no special tokens around the text"},
       .kind = Kind::flag},
      max_line_option()};
  out.examples =
      after_training({"echo \"조각 하나\" | jogak tokenizer encode tok", {"한 줄", "one line"}});
  out.run = encode;
  return out;
}

Command decode_part() {
  Command out{.name = "decode",
              .summary = {"표준 입력의 줄마다 토큰 번호를 글로",
                          "each line of ids on standard input to text"}};
  out.operands = {tokenizer_operand()};
  out.options = {{.name = "jsonl",
                  .help = {"한 줄에 JSON 배열 하나를 읽어 JSON 문자열 하나를 씁니다",
                           "reads one JSON array a line and writes one JSON string a line"},
                  .kind = Kind::flag},
                 {.name = "keep-special",
                  .help = {"특수 토큰도 씁니다", "special tokens too"},
                  .kind = Kind::flag},
                 max_line_option()};
  out.examples = after_training(
      {"echo \"[5, 6, 7]\" | jogak tokenizer decode tok --jsonl", {"한 줄", "one line"}});
  out.run = decode;
  return out;
}

}  // namespace

Command tokenizer_command() {
  Command out{.name = "tokenizer",
              .group = Group::make,
              .summary = {"토크나이저를 학습하고 씁니다", "trains and uses tokenizers"}};
  out.parts = {train_part(), encode_part(), decode_part()};
  out.examples = {
      {"jogak data make dates text.txt", {"배울 글", "a text to learn from"}},
      {"jogak tokenizer train --type bpe --vocab-size 400 --files text.txt --out tok",
       {"바이트 단위 BPE", "byte-level BPE"}},
      {"echo \"안녕\" | jogak tokenizer encode tok", {"글을 토큰으로", "text to tokens"}},
  };
  return out;
}

}  // namespace jogak::cli
