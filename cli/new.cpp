#include "app/tools/new_model.h"

#include "base/format.h"
#include "cli/command.h"
#include "cli/complain.h"

namespace jogak::cli {
namespace {

int do_new(const Context& c) {
  const Args& args = c.args;
  NewModel command;
  command.directory = args.operand("DIR");
  command.family = args.text("family");
  command.preset = args.text("preset");
  command.settings = args.list("set");
  command.tokenizer = args.text("tokenizer");
  command.overwrite = args.flag("overwrite");
  command.seed = static_cast<uint64_t>(args.integer("seed"));
  const ModelInfo made = make_new_model(command);
  if (args.flag("json"))
    c.out.line(to_json(made).dump());
  else
    c.out.line(command.directory + ": " + made.model_type + ", " + format_count(made.parameters) +
               (c.lang() == Lang::ko ? "개 매개변수" : " parameters"));
  return 0;
}

// Six operations a parameter and token, at what two cores do in a second.
std::string minutes(int64_t parameters) {
  constexpr double kTokens = 1e6, kOperations = 1e11;
  return fixed(6 * static_cast<double>(parameters) * kTokens / kOperations / 60, 1);
}

std::string presets(Lang lang) {
  const bool ko = lang == Lang::ko;
  TextTable table(
      {ko ? "종류" : "family", ko ? "크기" : "preset", ko ? "매개변수" : "parameters",
       ko ? "100만 토큰 학습, 2코어, 약 (분)" : "minutes per million tokens, 2 cores, about"});
  for (const std::string& family : family_names())
    for (const auto& [name, parameters] : preset_sizes(family))
      table.row({family, name, format_count(parameters), minutes(parameters)});
  return table.text();
}

}  // namespace

Command new_command() {
  Command out{.name = "new",
              .group = Group::make,
              .summary = {"새 모델 디렉터리를 씁니다, 가중치는 난수",
                          "writes a fresh model directory, its weights random"}};
  out.operands = {{"DIR", {"쓸 디렉터리", "the directory to write"}}};
  out.options = {
      {.name = "family",
       .help = {"모델의 종류", "family of models"},
       .value = "NAME",
       .fallback = "gpt2",
       .choices = family_names()},
      {.name = "preset",
       .help = {"크기, 아래 표", "size, see below"},
       .value = "NAME",
       .fallback = "tiny"},
      {.name = "set",
       .help = {"config.json의 값 하나", "one value of config.json"},
       .value = "KEY=VALUE",
       .times = Times::repeated},
      {.name = "tokenizer",
       .help = {"함께 넣을 토크나이저, vocab_size도 여기에 맞춥니다",
                "a tokenizer to put in; vocab_size follows it"},
       .value = "DIR_OR_FILE"},
      seed_option("1"),
      overwrite_option(),
      json_option(),
  };
  out.examples = {
      {"jogak data make dates dates.txt", {"토크나이저가 배울 글", "a text for the tokenizer"}},
      {"jogak tokenizer train --type bpe --vocab-size 400 --files dates.txt --out tok",
       {"글에서 토크나이저를", "a tokenizer from it"}},
      {"jogak new models/mine --family gpt2 --preset tiny --set n_layer=4 --tokenizer tok",
       {"층이 넷인 작은 GPT", "a small GPT of four layers"}},
  };
  out.run = do_new;
  out.more_help = presets;
  return out;
}

}  // namespace jogak::cli
