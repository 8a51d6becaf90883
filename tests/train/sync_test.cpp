// What is made to last on the disk, and in which order: the calls of each write, one by one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "tests/support/temp_dir.h"
#include "tests/train/syscall_trace.h"
#include "train/run_directory.h"

namespace jogak {
namespace {

using test::DiskCall;

std::string shown(const DiskCall& call, const std::string& root) {
  constexpr const char* kNames[] = {"create", "write",    "sync",  "make directory",
                                    "rename", "exchange", "remove"};
  const auto below = [&](const std::string& path) {
    const std::string name =
        std::filesystem::path(path).lexically_normal().lexically_relative(root).string();
    const size_t number = name.find("tmp-");  // which process, and how many before it
    return number == std::string::npos ? name : name.substr(0, number) + "tmp";
  };
  return text_of(kNames[call.kind], " ", below(call.path), call.to.empty() ? "" : " to ",
                 call.to.empty() ? "" : below(call.to));
}

// The calls below a directory, in words; nothing where processes may not be traced.
std::vector<std::string> calls_of(const TempDir& dir, const std::function<void()>& work) {
  const auto trace = test::trace([&] {
    work();
    test::trace_mark();
  });
  std::vector<std::string> out;
  if (!trace) return out;
  for (const DiskCall& call : trace->calls)
    if (call.path.starts_with(dir.path())) out.push_back(shown(call, dir.path()));
  return out;
}

std::vector<std::string> syncs_in(std::vector<std::string> calls) {
  std::erase_if(calls, [](const std::string& call) { return !call.starts_with("sync "); });
  return calls;
}

TEST(Syncs, AFileIsOnTheDiskBeforeItsNameIs) {
  const TempDir dir;
  const auto calls = calls_of(dir, [&] {
    test::trace_mark();
    write_file(dir / "a", "1");
  });
  if (calls.empty()) GTEST_SKIP() << "tracing processes is not permitted here";
  EXPECT_EQ(calls, (std::vector<std::string>{"create a.tmp", "write a.tmp", "sync a.tmp",
                                             "rename a.tmp to a", "sync ."}));
}

TEST(Syncs, ACheckpointsNamesAreBeforeItHasItsOwn) {
  const TempDir dir;
  const auto calls = calls_of(dir, [&] {
    RunDirectory run(dir / "run");
    test::trace_mark();
    run.commit(1, [](const std::string& to) { std::ofstream(to + "/a"); });  // it syncs nothing
  });
  if (calls.empty()) GTEST_SKIP() << "tracing processes is not permitted here";
  EXPECT_EQ(calls,
            (std::vector<std::string>{"make directory run/checkpoints/.tmp",
                                      "create run/checkpoints/.tmp", "sync run/checkpoints/.tmp",
                                      "rename run/checkpoints/.tmp to "
                                      "run/checkpoints/step-00000001",
                                      "sync run/checkpoints"}));
}

TEST(Syncs, ADirectoryIsAllTheWayUpToWhatWasThere) {
  const TempDir dir;
  for (const char* path : {"new/deep/place", "other/place/"}) {
    const auto calls = calls_of(dir, [&] {
      test::trace_mark();
      make_directories(dir / path);
    });
    if (calls.empty()) GTEST_SKIP() << "tracing processes is not permitted here";
    const std::string top(path, std::string_view(path).find('/'));
    const auto syncs = syncs_in(calls);
    for (const std::string& wanted : {"sync " + top, std::string("sync .")})
      EXPECT_EQ(std::count(syncs.begin(), syncs.end(), wanted), 1) << wanted;
  }
  EXPECT_TRUE(syncs_in(calls_of(dir, [&] {
                test::trace_mark();
                make_directories(dir / "new/deep");
              })).empty());
}

TEST(Syncs, ARunIsBeforeItBegins) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "run");  // by somebody who synced nothing
  const auto calls = calls_of(dir, [&] {
    test::trace_mark();
    const RunDirectory run(dir / "run");
  });
  if (calls.empty()) GTEST_SKIP() << "tracing processes is not permitted here";
  const auto syncs = syncs_in(calls);
  for (const char* wanted : {"sync run", "sync ."})
    EXPECT_GE(std::count(syncs.begin(), syncs.end(), wanted), 1) << wanted;
}

// A killed process may have taken a checkpoint's name away just now: if that is lost, what is
// removed here bears the name again.
TEST(Syncs, NamesAreBeforeLeftoversAreRemoved) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "run/checkpoints/.tmp-1-0");
  const auto calls = calls_of(dir, [&] {
    test::trace_mark();
    const RunDirectory run(dir / "run");
  });
  if (calls.empty()) GTEST_SKIP() << "tracing processes is not permitted here";
  const auto sync = std::find(calls.begin(), calls.end(), "sync run/checkpoints");
  const auto remove = std::find(calls.begin(), calls.end(), "remove run/checkpoints/.tmp");
  EXPECT_TRUE(sync < remove && remove != calls.end());
}

}  // namespace
}  // namespace jogak
