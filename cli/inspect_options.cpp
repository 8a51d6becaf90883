#include "cli/inspect_options.h"

#include <charconv>

#include "cli/complain.h"

namespace jogak::cli {

void add_input_options(Command& command) {
  const std::vector<Option> options = {
      {.name = "text", .help = {"입력 글", "the text to read"}, .value = "TEXT"},
      {.name = "target",
       .help = {"번역 모델: 번역 (기본: 모델이 쓰는 것)",
                "of a translator: the translation (default: its own)"},
       .value = "TEXT"},
      {.name = "image", .help = {"입력 그림", "the image to read"}, .value = "FILE"},
      {.name = "csv", .help = {"입력 시계열", "the series to read"}, .value = "FILE"},
      {.name = "input",
       .help = {"forward가 받는 텐서 파일", "a file of tensors as forward takes them"},
       .value = "FILE"},
      {.name = "label",
       .help = {"분류 모델: 맞는 레이블 (기본: 모델의 답)",
                "of a classifier: the right label (default: its own)"},
       .value = "LABEL"},
  };
  command.options.insert(command.options.end(), options.begin(), options.end());
}

void add_output_options(Command& command) {
  command.options.push_back({.name = "out",
                             .help = {"파일로: .svg, .png, .json, .html, .txt",
                                      "to a file: .svg, .png, .json, .html, .txt"},
                             .value = "FILE"});
  command.options.push_back(overwrite_option());
  command.options.push_back(device_option());
  command.options.push_back(threads_option());
  command.options.push_back(json_option());
}

InputChoice input_choice(const Args& args) {
  InputChoice out{.text = args.text("text"),
                  .target = args.text("target"),
                  .image = args.text("image"),
                  .csv = args.text("csv"),
                  .file = args.text("input"),
                  .label = args.text("label")};
  return out;
}

int64_t whole_number(const Context& c, const std::string& option) {
  const std::string text = c.args.text(option);
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    Complaint{c.lang()}.value(
        "--" + option, text,
        c.lang() == Lang::ko ? "0 이상의 정수 또는 all" : "a whole number from 0, or all");
  return value;
}

void show(const Context& c, const Inspection& shown) {
  const std::string path = c.args.text("out");
  if (!path.empty()) {
    write_inspection(shown, path);
  }
  if (c.args.flag("json"))
    c.out.line(to_json(shown).dump());
  else if (path.empty())
    c.out.write(to_text(shown, Output::colour(), Output::columns()));
  else
    c.out.line(path);
}

}  // namespace jogak::cli
