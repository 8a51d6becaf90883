#include "group/cores.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>

namespace jogak {
namespace {

int topology(int processor, const char* what, int otherwise) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/" +
                     what);
  int out = otherwise;
  return file >> out ? out : otherwise;
}

}  // namespace

std::vector<std::vector<int>> processors_of(std::vector<Processor> all, int64_t processes) {
  const auto count = static_cast<int64_t>(all.size());
  if (processes < 1 || processes > count) return {};
  std::sort(all.begin(), all.end(), [](const Processor& a, const Processor& b) {
    return std::tie(a.package, a.core, a.number) < std::tie(b.package, b.core, b.number);
  });
  std::vector<std::vector<int>> out(static_cast<size_t>(processes));
  for (int64_t i = 0; i < count; ++i)
    out[static_cast<size_t>(i * processes / count)].push_back(all[static_cast<size_t>(i)].number);
  return out;
}

std::vector<Processor> own_processors() {
  std::vector<Processor> out;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return out;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &allowed))
      out.push_back({i, topology(i, "physical_package_id", 0), topology(i, "core_id", i)});
  return out;
}

void stay_on(const std::vector<int>& processors) {
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (const int one : processors) CPU_SET(one, &chosen);
  ::sched_setaffinity(0, sizeof chosen, &chosen);
}

}  // namespace jogak
