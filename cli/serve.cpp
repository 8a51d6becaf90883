#include "server/serve.h"

#include "base/file.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

int do_serve(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  use_cache_type(args);
  server::ServeCommand command{.directories = args.operands("DIR"), .runs = args.text("runs")};
  if (!args.given("runs") && !is_directory(command.runs)) command.runs.clear();
  if (!command.runs.empty() && !is_directory(command.runs))
    fail<MissingError>(command.runs, ": no such folder of runs");
  command.host = args.text("host");
  command.port = static_cast<uint16_t>(args.integer("port"));
  command.key_file = args.text("api-key-file");
  command.max_queue = static_cast<size_t>(args.integer("max-queue"));
  command.preload = args.flag("preload");
  command.memory = static_cast<size_t>(args.integer("memory")) << 20;
  command.drain = args.integer("drain");
  command.dtype = args.text("dtype");
  if (args.given("threads")) command.threads = static_cast<int>(args.integer("threads"));
  command.lang = c.lang();
  command.stop = &stop_flag();
  const bool ko = c.lang() == Lang::ko;
  command.listening = [&](const std::string& address) {
    c.out.line(address);
    c.out.flush();
    log_info(ko ? "브라우저에서 위 주소를 여세요. 끝내려면 Ctrl-C."
                : "Open this address in a browser. Ctrl-C ends it.");
  };
  server::serve(command);
  return 0;
}

std::vector<Option> serve_options() {
  return {
      {.name = "runs",
       .help = {"학습 실행들이 든 디렉터리", "a folder of training runs"},
       .value = "DIR",
       .fallback = "runs"},
      {.name = "host",
       .help = {"들을 주소; 이 컴퓨터 밖이면 --api-key-file이 필요합니다",
                "the address to listen on; beyond this machine it needs --api-key-file"},
       .value = "HOST",
       .fallback = "127.0.0.1"},
      {.name = "port",
       .help = {"포트 (0: 빈 것 아무거나)", "the port (0: any free one)"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "8080",
       .low = 0,
       .high = 65535},
      {.name = "api-key-file",
       .help = {"키가 한 줄에 하나씩 든 파일; 모든 요청은 그중 하나를 가져와야 합니다",
                "a file of keys, a line each; every request must bring one of them"},
       .value = "FILE"},
      {.name = "max-queue",
       .help = {"모델 하나를 기다릴 수 있는 요청 수", "how many requests may wait for one model"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "256",
       .low = 1,
       .high = 10000},
      {.name = "preload",
       .help = {"글을 쓰는 모델을 미리 모두 준비합니다 (/health가 그때까지 503)",
                "makes models ready to write before anybody asks (/health is 503 until then)"},
       .kind = Kind::flag},
      {.name = "memory",
       .help =
           {"열어 둘 가중치의 크기(MB); 넘으면 가장 오래 쓰지 않은 모델을 닫습니다 (0: 제한 없음)",
            "megabytes of weights to keep open; beyond it the least used model is closed (0: all)"},
       .kind = Kind::integer,
       .value = "MB",
       .fallback = "0",
       .low = 0,
       .high = 100'000'000},
      {.name = "drain",
       .help = {"SIGTERM 뒤에 하던 일을 마칠 시간(초)",
                "seconds that running requests have to finish after SIGTERM"},
       .kind = Kind::integer,
       .value = "S",
       .fallback = "10",
       .low = 0,
       .high = 3600},
      threads_option(),
      device_option(),
      dtype_option(),
      cache_type_option(),
  };
}

}  // namespace

Command serve_command() {
  Command out{.name = "serve",
              .group = Group::look,
              .summary = {"모델을 브라우저에서 써 보고 들여다보는 페이지를 엽니다",
                          "opens a page to try models and to look inside them"}};
  out.operands = {{.name = "DIR",
                   .help = {"모델 디렉터리, 또는 모델들이 든 디렉터리",
                            "model directories, or folders that hold some"},
                   .optional = true,
                   .repeated = true}};
  out.options = serve_options();
  out.examples = {
      {"jogak serve runs/quickstart",
       {"모델 하나의 페이지를 http://127.0.0.1:8080 에",
        "a model's page on http://127.0.0.1:8080"}},
      {"jogak serve --runs runs",
       {"학습 중인 실행을 지켜봅니다", "watches the runs of a folder while they train"}},
      {"jogak serve models/chat --preload --api-key-file keys --drain 30",
       {"OpenAI 방식의 서버로 (docs/serve.md)",
        "as a server of the OpenAI interface (docs/serve.md)"}},
      {"jogak serve runs/quickstart --device cpu --dtype bf16",
       {"글쓰기 모델의 가중치를 bf16으로 (GPU에서는 --device cuda)",
        "writes with weights in bf16 (on a GPU: --device cuda)"}},
      {"jogak serve runs --port 9000 --threads 4",
       {"디렉터리의 모델 모두", "every model of a folder"}},
  };
  out.run = do_serve;
  return out;
}

}  // namespace jogak::cli
