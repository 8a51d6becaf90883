#include "cli/completion.h"

namespace jogak::cli {
namespace {

int do_completion(const Context& c) {
  const std::string what = c.args.operand("WHAT");
  c.out.write(what == "bash"  ? bash_completion(c.lang())
              : what == "zsh" ? zsh_completion(c.lang())
                              : manual_page(c.lang()));
  return 0;
}

}  // namespace

Command completion_command() {
  Command out{.name = "completion",
              .group = Group::ship,
              .summary = {"셸의 자동 완성이나 man 페이지를 내놓습니다",
                          "prints completion for a shell, or the manual page"}};
  out.operands = {{"WHAT", {"무엇을", "what"}, false, {"bash", "zsh", "man"}}};
  out.examples = {
      {"jogak completion bash > jogak.bash",
       {"bash에서: source jogak.bash", "in bash: source jogak.bash"}},
      {"jogak completion man > jogak.1", {"읽기: man ./jogak.1", "to read: man ./jogak.1"}},
  };
  out.run = do_completion;
  return out;
}

}  // namespace jogak::cli
