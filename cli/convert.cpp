#include "app/tools/convert.h"

#include "app/tools/gguf_model.h"
#include "base/format.h"
#include "cli/command.h"

namespace jogak::cli {
namespace {

int do_convert(const Context& c) {
  use_threads(c.args);
  const std::string out = c.args.operand("DIR");
  const ModelInfo info = convert_gguf({.file = c.args.operand("FILE"),
                                       .out = out,
                                       .dtype = c.args.text("dtype"),
                                       .overwrite = c.args.flag("overwrite"),
                                       .lang = c.lang()});
  if (c.args.flag("json"))
    c.out.line(to_json(info).dump());
  else
    c.out.line(text_of(out, ": ", info.model_type, ", ", format_count(info.parameters),
                       c.lang() == Lang::ko ? " 매개변수, " : " parameters, ",
                       format_bytes(info.bytes)));
  return 0;
}

std::string architectures(Lang lang) {
  return text_of(lang == Lang::ko ? "읽는 아키텍처" : "Architectures that are read", "\n  ",
                 gguf_architectures(), "\n");
}

}  // namespace

Command convert_command() {
  Command out{.name = "convert",
              .group = Group::ship,
              .summary = {"llama.cpp의 GGUF 파일을 Hugging Face 디렉터리로",
                          "a GGUF file of llama.cpp as a Hugging Face directory"}};
  out.operands = {{"FILE", {"GGUF 파일", "a GGUF file"}},
                  {"DIR", {"쓸 모델 디렉터리", "the model directory to write"}}};
  out.options = {
      {.name = "dtype",
       .help = {"행렬의 형식: auto는 파일대로, 블록은 f32로",
                "type of the matrices; auto: as the file has them, blocks as f32"},
       .value = "TYPE",
       .fallback = "auto",
       .choices = {"auto", "f32", "bf16", "f16"}},
      overwrite_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak convert model-q8_0.gguf models/small",
       {"토크나이저와 대화 템플릿도 함께", "with its tokenizer and chat template"}},
      {"jogak convert model-q8_0.gguf models/small --dtype bf16 --overwrite",
       {"절반 크기로, 있던 것을 바꿔서", "half the size, in place of what is there"}},
  };
  out.more_help = architectures;
  out.run = do_convert;
  return out;
}

}  // namespace jogak::cli
