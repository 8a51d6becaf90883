// Processes of one run as srun and mpirun start them.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "tests/cli/process.h"
#include "tests/cli/small_runs.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

Arguments training(const TempDir& dir, const std::string& out) {
  if (!std::filesystem::exists(dir / "r.toml")) write_file(dir / "r.toml", small_runs()[0].recipe);
  return {"train",     dir / "r.toml",
          "--out",     dir / out,
          "--threads", "1",
          "--set",     "train.accumulate=1",
          "--set",     "train.micro_batches=4"};
}

std::string weights(const TempDir& dir, const std::string& out) {
  const std::string all = outcome(dir / out);
  return all.substr(0, all.find("model.safetensors"));  // and the optimizer's state
}

// A job whose port, which srun's processes meet at, nobody uses.
int64_t free_job() {
  for (int64_t job = ::getpid();; ++job) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<uint16_t>(20000 + job % 10000));
    const bool free = ::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    ::close(fd);
    if (free) return job;
  }
}

// What srun gives each of its tasks.
Environment srun(int64_t job, int64_t index, int64_t count, bool pmi2) {
  Environment out = {
      {"SLURM_JOB_ID", std::to_string(job)},           {"SLURM_STEP_ID", "0"},
      {"SLURM_STEP_NUM_TASKS", std::to_string(count)}, {"SLURM_STEP_NODELIST", "localhost"},
      {"SLURM_NTASKS", std::to_string(count)},         {"SLURM_PROCID", std::to_string(index)},
      {"SLURM_LOCALID", std::to_string(index)},        {"SLURM_NODEID", "0"}};
  if (pmi2)
    for (const auto& [name, value] :
         {std::pair{"PMI_RANK", index}, {"PMI_SIZE", count}, {"PMI_JOBID", job}})
      out.emplace_back(name, std::to_string(value));
  return out;
}

TEST(Started, SrunsVariablesAreEnough) {
  const TempDir dir;
  ASSERT_EQ(jogak(training(dir, "one")).code, 0);
  for (const bool pmi2 : {false, true}) {
    const std::string out = pmi2 ? "pmi2" : "none";
    const int64_t job = free_job(), count = 3;
    std::vector<std::unique_ptr<Running>> all;
    for (int64_t i = 0; i < count; ++i)
      all.push_back(std::make_unique<Running>(training(dir, out),
                                              Call{.environment = srun(job, i, count, pmi2)}));
    for (int64_t i = 0; i < count; ++i) {
      const Result got = all[static_cast<size_t>(i)]->finish();
      EXPECT_EQ(got.code, 0) << got.err;
      EXPECT_EQ(got.out.empty(), i != 0) << got.out;  // the first alone shows results
    }
    EXPECT_EQ(weights(dir, out), weights(dir, "one"));
  }
}

TEST(Started, WhatSrunSaysAndAFlagDoesNotIsRefused) {
  const TempDir dir;
  Arguments arguments = training(dir, "run");
  arguments.insert(arguments.end(), {"--processes", "4"});
  const Result got = jogak(arguments, {.environment = srun(free_job(), 0, 2, false)});
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.err, "jogak: --processes 4, but srun started 2\n");
}

std::string mpirun() {  // empty: it is not installed
  for (const char* path : {"/usr/bin/mpirun", "/usr/local/bin/mpirun"})
    if (std::filesystem::exists(path)) return path;
  return "";
}

bool has_plugin() {
  return std::filesystem::exists(std::filesystem::path(program_path()).parent_path() /
                                 "libjogak_mpi.so");
}

TEST(Started, MpirunsProcessesEndWithTheBitsOfOne) {
  if (mpirun().empty() || !has_plugin()) GTEST_SKIP() << "no MPI is installed";
  const TempDir dir;
  ASSERT_EQ(jogak(training(dir, "one")).code, 0);
  for (const int count : {2, 4}) {
    const std::string out = text_of(count);
    std::string command = text_of("OMPI_MCA_rmaps_base_oversubscribe=1 ", mpirun(),
                                  " --allow-run-as-root -n ", count, " ", program_path());
    for (const std::string& word : training(dir, out)) command += " " + word;
    command += " >" + (dir / "log") + " 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << read_file(dir / "log");
    EXPECT_EQ(weights(dir, out), weights(dir, "one"));
  }
}

TEST(Started, AnMpiThatKnowsOfFewerIsNamed) {
  if (!has_plugin()) GTEST_SKIP() << "no MPI is installed";
  const TempDir dir;
  const Result got =
      jogak(training(dir, "run"), {.environment = {{"OMPI_COMM_WORLD_SIZE", "3"},
                                                   {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                                   {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}});
  EXPECT_EQ(got.code, 2) << got.err;
  EXPECT_EQ(got.err,
            "jogak: mpirun started 3 processes, but the plugin's MPI knows of 1: build jogak with "
            "the MPI that mpirun belongs to\n");
}

}  // namespace
}  // namespace jogak
