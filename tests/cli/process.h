// Runs the program as a user would and collects what came out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace jogak {

using Arguments = std::vector<std::string>;

struct Result {
  int code = -1;  // exit code; 128 + number when a signal ended it
  std::string out, err;
  int64_t peak = 0;  // most bytes it had in memory; never less than this process has
};

struct Call {
  std::string input = {};  // standard input, then its end
  std::vector<std::pair<std::string, std::string>> environment = {};  // added; LANG is C otherwise
  std::string out_to = {};     // a file that standard output is opened on
  std::string directory = {};  // to run in
};

Result jogak(const Arguments& arguments, const Call& call = {});

// A run that is still going: its standard input can be written to, signals sent.
class Running {
 public:
  explicit Running(const Arguments& arguments, const Call& call = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void write(const std::string& text);
  void close_input();
  std::string read_line();  // of standard output; waits up to 20 seconds
  std::string read_error_line();
  void close_output();  // as `| head` does
  void signal(int number);
  bool alive() const;  // it has not ended yet
  int pid() const { return process_; }
  Result finish();  // closes its input, collects the rest

 private:
  int process_ = -1, input_ = -1, output_ = -1, error_ = -1;
  std::string held_out_, held_err_;
};

// Standard output is a terminal: what came out there.
std::string jogak_on_terminal(const Arguments& arguments, const Call& call = {});

}  // namespace jogak
