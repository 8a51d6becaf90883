#include "cli/divided.h"

#include <signal.h>

#include "cli/signals.h"

namespace jogak::cli {

ProcessRequest processes_of(const Args& args) {
  ProcessRequest out;
  if (args.given("processes")) out.processes = args.integer("processes");
  if (args.given("process")) out.process = args.integer("process");
  out.first = args.text("first");
  return out;
}

std::optional<int> start_others(const Args& args) {
  const ProcessRequest request = processes_of(args);
  if (!starts_processes(request)) return {};
  return start_processes(request, stop_flag(),
                         [] { return stop_exit_code() == 75 ? SIGTERM : SIGINT; });
}

std::vector<Option> division_options() {
  return {{.name = "processes",
           .help = {"모델의 층을 이 기계의 프로세스 N개에 나눕니다: 한 메모리에 들어가지 않는 "
                    "언어 모델용. mpirun과 srun이 시작한 것은 이 옵션 없이도 함께합니다",
                    "divide the layers among N processes on this machine, for language models that "
                    "do not fit one memory; those that mpirun or srun started work together "
                    "without it"},
           .kind = Kind::integer,
           .value = "N",
           .low = 1},
          {.name = "process",
           .help = {"여러 기계에서 손으로 시작할 때: 이것이 몇 번째인지, 1부터",
                    "started by hand on several machines: which of them this is, from 1"},
           .kind = Kind::integer,
           .value = "N",
           .low = 1},
          {.name = "first",
           .help = {"여러 기계에서 손으로 시작할 때: 첫 프로세스가 기다리는 곳",
                    "started by hand on several machines: where the first waits for the others"},
           .value = "HOST:PORT"}};
}

}  // namespace jogak::cli
