// How the processes of a group find each other: all come to the first, which checks that they mean
// the same work and tells each where the others are.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/processes.h"
#include "group/socket.h"

namespace jogak {

// What must be equal in all processes, by name: "program", "recipe".
using Facts = std::vector<std::pair<std::string, std::string>>;

struct Meeting {
  Processes self;
  std::string key;  // who does not know it is no member
  Facts facts;
  Socket listener;                 // in the first, where the others come to
  std::vector<std::string> hosts;  // of the first, tried in turn
  uint16_t port = 0;               // of the first
  bool with_data = true;           // a second connection to each, for bytes of the work
  double patience = 120;           // seconds
  const std::atomic<bool>* stop = nullptr;
};

struct Member {
  std::string name;      // "process 2 of 4 (pid 4711 on node7)", counted from 1
  std::string host;      // its machine's name
  int64_t pid = 0;       // there
  Socket control, data;  // to it; not open in the process itself
};

// Of every process, in order. UsageError in all of them, naming the process and the fact, where one
// means other work; Error where somebody does not come.
std::vector<Member> meet(Meeting meeting);

std::string machine_name();
std::string random_key();  // 32 hexadecimal digits

}  // namespace jogak
