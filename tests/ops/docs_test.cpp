// docs/ops.md is made from the list of cases: JOGAK_UPDATE_DOCS=1 ops_tests --gtest_filter=OpDocs*
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "tests/ops/case.h"
#include "tests/support/places.h"

namespace jogak::test {
namespace {

struct Row {
  size_t cases = 0;
  bool differentiable = false, timed = false;
  std::set<DType> dtypes;
};

std::map<std::string, Row> rows() {
  std::map<std::string, Row> out;
  for (const OpCase& c : all_cases()) {
    Row& row = out[c.op];
    ++row.cases;
    row.differentiable |= c.differentiable;
    row.timed |= !c.bench.empty();
    row.dtypes.insert(c.dtypes.begin(), c.dtypes.end());
  }
  return out;
}

std::string rendered() {
  std::ostringstream out;
  out << "# Ops\n\n"
         "Made from the list of cases in `tests/ops/cases`, not by hand; after a change of the "
         "cases:\n\n"
         "    JOGAK_UPDATE_DOCS=1 build/tests/ops_tests --gtest_filter='OpDocs*'\n\n"
         "The same test fails where this page and the cases differ. Each case is one\n"
         "value test in every dtype against plain loops in double, one gradient test against\n"
         "differences in double, one comparison of bits at 1, 2 and 4 threads, and one run on a\n"
         "device that forbids the host to touch its memory. Where there is a GPU, the same "
         "values,\n"
         "gradients in every dtype and bits are asked of it. `ops_bench` times the same list.\n\n"
         "Where backward says \"refused\", asking for a gradient is an error that names the op.\n\n"
         "| op | cases | forward | backward | dtypes | devices |\n"
         "|---|---|---|---|---|---|\n";
  for (const auto& [op, row] : rows()) {
    std::string dtypes;
    for (const DType dtype : row.dtypes) dtypes += (dtypes.empty() ? "" : ", ") + text_of(dtype);
    out << "| " << op << " | " << row.cases << " | yes | "
        << (row.differentiable ? "yes" : "refused") << " | " << dtypes << " | cpu, cuda |\n";
  }
  return out.str();
}

TEST(OpDocs, TheTableIsThatOfTheCases) {
  const std::string path = source_path("docs/ops.md");
  if (const char* update = std::getenv("JOGAK_UPDATE_DOCS"); update && std::string(update) == "1")
    std::ofstream(path) << rendered();
  std::stringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), rendered())
      << "run ops_tests --gtest_filter='OpDocs*' with JOGAK_UPDATE_DOCS=1";
}

// The build looks for the names in the text of the cases; here the cases themselves are asked.
TEST(OpDocs, EveryRecordedOpHasACase) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(source_path("scripts/check-op-cases.sh --list").c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  const auto known = rows();
  size_t names = 0;
  for (char line[256]; std::fgets(line, sizeof line, pipe.get()); ++names) {
    const std::string name(line, std::string(line).find('\n'));
    EXPECT_TRUE(known.contains(name)) << name << " is recorded in src/ops but has no case";
  }
  EXPECT_GE(names, 20u);
}

TEST(OpDocs, EveryOpThatComputesIsTimed) {
  // Views cost nothing; attention's twins run attention's kernels.
  const std::set<std::string> others = {"reshape", "transpose",        "permute",
                                        "split",   "attention_packed", "attention_weights"};
  for (const auto& [op, row] : rows())
    EXPECT_TRUE(row.timed || others.contains(op)) << op << " has no case with sizes to time";
}

}  // namespace
}  // namespace jogak::test
