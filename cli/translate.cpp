#include "app/use/translate.h"

#include <unistd.h>
#include <cstdio>

#include "base/log.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

TranslateSettings settings_of(const Context& c, const std::string& directory) {
  const Args& args = c.args;
  TranslateSettings out = directory_settings(directory);
  if (args.given("beams")) out.beams = static_cast<int>(args.integer("beams"));
  if (args.given("length-penalty")) out.length_penalty = args.number("length-penalty");
  if (args.given("max-length")) out.max_length = args.integer("max-length");
  out.n_best = static_cast<int>(args.integer("n-best"));
  if (out.n_best > out.beams && !args.given("beams")) out.beams = out.n_best;
  out.sentences = args.integer("batch");
  out.alignment = args.flag("alignment");
  out.alignment_layer = args.given("layer") ? args.integer("layer") : -1;
  out.stop = &stop_flag();
  out.lang = c.lang();
  out.progress = true;
  return out;
}

int do_translate(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  TranslateCommand command;
  command.directory = args.operand("DIR");
  command.settings = settings_of(c, command.directory);
  command.json = args.flag("json");
  command.line = [&](const std::string& line) { c.out.line(line); };
  command.flush = [&] { c.out.flush(); };
  command.picture = [&](const Alignment& alignment) {
    return alignment_text(alignment, Output::colour(), Output::columns(), c.lang());
  };
  if (isatty(STDIN_FILENO) == 1)
    log_info(c.lang() == Lang::ko ? "한 줄에 한 문장씩 쓰세요. 끝은 Ctrl-D."
                                  : "One sentence a line. Ctrl-D ends.");
  LineReader in(STDIN_FILENO, "standard input", &stop_flag());
  translate_input(in, command);
  return 0;
}

std::vector<Option> translate_options() {
  const auto count = [](const char* name, Words help, const char* fallback, double low,
                        double high) {
    return Option{.name = name,
                  .help = help,
                  .kind = Kind::integer,
                  .value = "N",
                  .fallback = fallback,
                  .low = low,
                  .high = high};
  };
  return {
      count("beams",
            {"빔 탐색의 폭 (기본: 모델이 정한 것, 없으면 4)",
             "width of the beam search (default: as the model says, else 4)"},
            "", 1, 1024),
      {.name = "length-penalty",
       .help = {"점수 = 로그 확률 / 길이^X, 클수록 긴 글",
                "score = log probability / length^X: larger favours longer texts"},
       .kind = Kind::number,
       .value = "X"},
      count("n-best", {"문장마다 보일 번역 수", "translations of each sentence"}, "1", 1, 1024),
      count("max-length",
            {"번역의 최대 토큰 수 (기본: 원문의 두 배에 50)",
             "most tokens of a translation (default: twice the source's and fifty)"},
            "", 1, 1e6),
      {.name = "alignment",
       .help = {"낱말마다 원문의 어디를 보았는지", "where in the source each token looked"},
       .kind = Kind::flag},
      count("layer",
            {"--alignment: 디코더의 층 (기본: 모든 층의 평균)",
             "--alignment: layer of the decoder (default: the mean of all)"},
            "", 0, 1e4),
      count("batch", {"함께 계산할 문장 수", "sentences at once"}, "32", 1, 4096),
      threads_option(),
      json_option(),
  };
}

}  // namespace

Command translate_command() {
  Command out{.name = "translate",
              .group = Group::use,
              .summary = {"줄마다 번역합니다", "translates lines"}};
  out.operands = {{"DIR", {"번역 모델의 디렉터리", "directory of a translation model"}}};
  out.options = translate_options();
  out.examples = {
      {"echo \"2031년 5월 9일 금요일\" | jogak translate runs/quickstart",
       {"날짜 하나를 옮깁니다", "translates one date"}},
      {"jogak translate runs/ende --beams 8 --n-best 3 < in.txt",
       {"문장마다 가장 좋은 셋", "the three best of each sentence"}},
      {"jogak translate runs/ende --alignment --json < in.txt > out.jsonl",
       {"정렬까지 JSON으로", "with alignment, as JSON"}},
  };
  out.run = do_translate;
  return out;
}

}  // namespace jogak::cli
