// A program that runs beside this one, its output in files. It goes when this process goes.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace jogak {

class Launched {
 public:
  // words[0] is the program's path. IoError where it cannot be started.
  Launched(const std::vector<std::string>& words, const std::string& output,
           const std::string& messages);
  ~Launched();  // ends it, if it still runs
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;

  // How it ended: its exit status, or 128 and the signal; nothing while it runs.
  std::optional<int> ended();
  void ask_to_stop() const;  // SIGTERM

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

std::string own_program();  // the path of the running program

}  // namespace jogak
