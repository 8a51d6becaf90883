#include "app/tools/info.h"

#include "app/measure/parity.h"
#include "app/models/device.h"
#include "base/file.h"
#include "base/format.h"
#include "base/korean/message.h"
#include "cli/command.h"
#include "cli/complain.h"

namespace jogak::cli {
namespace {

// Writes the certificate and says how to check it.
int certify(const Context& c) {
  const std::string directory = c.args.operand("DIR"), file = c.args.text("parity");
  check_drawing(c.args, "parity");
  const ParityCertificate certificate = parity_certificate(directory);
  write_file(file, to_json(certificate).dump(1) + "\n");
  const size_t files = certificate.files.size();
  const std::string replay = "python3 scripts/replay-parity.py " + file + " " + directory;
  if (c.args.flag("json")) {
    Json out = Json::object();
    out.set("schema", 1).set("parity", file).set("files", files).set("replay", replay);
    c.out.line(out.dump());
    return 0;
  }
  if (c.lang() == Lang::ko)
    c.out.line(
        text_of(file, ": 파일 ", files, "개의 해시, 입력과 출력. transformers로 확인: ", replay));
  else
    c.out.line(text_of(file, ": hashes of ", files,
                       " files, inputs and outputs. To check it with transformers: ", replay));
  return 0;
}

Operand directory_operand() { return {"DIR", {"모델 디렉터리", "a model directory"}, true}; }

int show_devices(const Context& c) {
  Json list = Json::array();
  for (const DeviceInfo& d : list_devices()) {
    Json one = Json::object();
    one.set("name", d.name).set("usable", d.device != nullptr).set("about", d.about);
    if (d.memory > 0) one.set("memory_bytes", d.memory);
    if (!d.libraries.empty()) one.set("libraries", d.libraries);
    list.push(std::move(one));
    if (!c.args.flag("json"))
      c.out.line(text_of(
          d.name, "  ", d.device ? "" : "- ", c.lang() == Lang::ko ? in_korean(d.about) : d.about,
          d.memory > 0 ? ", " + format_bytes(d.memory) : "", d.libraries.empty() ? "" : "; ",
          c.lang() == Lang::ko ? in_korean(d.libraries) : d.libraries));
  }
  if (c.args.flag("json"))
    c.out.line(Json::object().set("schema", 1).set("devices", std::move(list)).dump());
  return 0;
}

int do_info(const Context& c) {
  if (c.args.flag("devices")) return show_devices(c);
  if (c.args.operand("DIR").empty()) Complaint{c.lang()}.missing_operand(directory_operand());
  if (c.args.given("parity")) return certify(c);
  const ModelInfo info = model_info(c.args.operand("DIR"));
  if (c.args.flag("json"))
    c.out.line(to_json(info).dump());
  else
    c.out.write(info_table(info, c.lang()));
  return 0;
}

}  // namespace

Command info_command() {
  Command out{.name = "info",
              .group = Group::ship,
              .summary = {"모델의 매개변수, 메모리, 층, 토크나이저",
                          "parameters, memory, layers and tokenizer of a model"}};
  out.operands = {directory_operand()};
  out.options = {
      {.name = "parity",
       .help = {"transformers로 다시 계산해 볼 수 있는 증명서를 이 파일에: 해시, 입력, 출력",
                "write a certificate here that transformers can replay: hashes, inputs, outputs"},
       .value = "FILE"},
      overwrite_option(),
      {.name = "devices",
       .help = {"모델 대신, 계산할 수 있는 장치들",
                "instead of a model: where models can be computed"},
       .kind = Kind::flag},
      json_option(),
  };
  out.examples = {
      {"jogak info runs/quickstart", {"표로", "as a table"}},
      {"jogak info --devices", {"무엇으로 계산할 수 있는지", "what there is to compute with"}},
      {"jogak info runs/quickstart --parity parity.json",
       {"scripts/replay-parity.py가 확인할 증명서", "a certificate for scripts/replay-parity.py"}},
  };
  out.run = do_info;
  return out;
}

}  // namespace jogak::cli
