#include "cli/generation_flags.h"

namespace jogak::cli {
namespace {

// "": the command has none. A conversation goes one way: words are shown as they come.
const char* flag_of(const GenerationKey& key, Writing command) {
  const std::string_view name = key.key;
  if (command == Writing::chat && (name == "num_beams" || name == "num_return_sequences"))
    return "";
  return command == Writing::translate && key.translate_flag ? key.translate_flag : key.flag;
}

Option option_of(const GenerationKey& key, Writing command) {
  Option out{.name = flag_of(key, command), .help = key.help, .value = key.value_name()};
  if (out.value == "N" || out.value == "X") {
    out.kind = out.value == "N" ? Kind::integer : Kind::number;
    out.low = key.low, out.high = key.high;
  }
  if (out.value == "TEXT") out.times = Times::repeated;
  if (out.name == "predict") out.letter = 'n';
  return out;
}

Json value_of(const Args& args, const Option& option) {
  if (option.kind == Kind::integer) return Json(args.integer(option.name));
  if (option.kind == Kind::number) return Json(args.number(option.name));
  if (option.times == Times::repeated) return Json::list(args.list(option.name));
  return parse_setting(args.text(option.name));
}

}  // namespace

std::vector<Option> generation_options(Writing command) {
  std::vector<Option> out;
  for (const GenerationKey& key : generation_keys())
    if (*flag_of(key, command)) out.push_back(option_of(key, command));
  return out;
}

GenerationSettings generation_settings(const Args& args, Writing command, int64_t vocab) {
  GenerationSettings out;
  for (const GenerationKey& key : generation_keys()) {
    const char* flag = flag_of(key, command);
    if (!*flag || !args.given(flag)) continue;
    set_generation_key(out, key, value_of(args, option_of(key, command)), flag, vocab);
  }
  return out;
}

std::string generation_help(Writing command, Lang lang) {
  const Words generate = {
      "깃발을 주지 않으면 디렉터리의 generation_config.json이 정합니다. 아무 말도 없으면\n"
      "--temp 0.8 --top-k 40 --top-p 0.95 --predict 128입니다.\n",
      "What is not said here is as generation_config.json of the directory says; where that says\n"
      "nothing, --temp 0.8 --top-k 40 --top-p 0.95 --predict 128.\n"};
  const Words translate = {
      "깃발을 주지 않으면 디렉터리의 generation_config.json이 정합니다. 아무 말도 없으면\n"
      "--beams 4이고, 길이는 원문의 두 배에 50까지입니다.\n",
      "What is not said here is as generation_config.json of the directory says; where that says\n"
      "nothing, --beams 4, and most tokens are twice the source's and fifty.\n"};
  return std::string((command == Writing::translate ? translate : generate)(lang));
}

Option system_option() {
  return {
      .name = "system",
      .help = {"대화에 앞서 모델에게 주는 지시", "what the model is told before the conversation"},
      .value = "TEXT"};
}

Option candidates_option() {
  return {.name = "candidates",
          .help = {"--json: 토큰마다 후보 N개와 확률",
                   "--json: the N likeliest candidates of each token"},
          .kind = Kind::integer,
          .value = "N",
          .fallback = "0",
          .low = 0,
          .high = 1e7};
}

}  // namespace jogak::cli
