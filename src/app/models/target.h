// Where a command writes. What is there and is not the command's own is named and stays, unless the
// user says --overwrite; then it is replaced, once the new one is whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "train/lock.h"

namespace jogak {

struct Target {
  std::string path;
  bool overwrite = false;
  std::vector<std::string> inputs = {};  // what the command reads
};

inline constexpr char kUnbegunRun[] = "a run without a checkpoint";
// In words: "a run at step 120", "a gpt2 model", "adapters", "a tokenizer", "notes.txt and 2 more",
// "a file of 3.1 KB"; empty: nothing.
std::string what_is_there(const std::string& path);

bool same_path(const std::string& a, const std::string& b);  // however they are written

// UsageError when a file is there, unless it may be replaced. One that `ours` knows as what the
// command itself writes may be, too, but never one of the inputs.
using IsOurs = bool (*)(const std::string& file);
void check_target_file(const Target& target, IsOurs ours = nullptr);
// Pictures, pages and JSON that jogak drew, by signs in their first bytes: a newer drawing replaces
// them, but never a picture of somebody else's.
bool is_drawing(const std::string& file);

// A directory whose files are written together.
class TargetDirectory {
 public:
  // `written` knows the names of files and folders that will be. UsageError when one is there, or a
  // model where none is written: another tokenizer would make it another model. InUse while
  // somebody trains there, whatever the user says; and nobody begins to until this is gone.
  using IsWritten = bool (*)(const std::string& name);
  TargetDirectory(Target target, IsWritten written);
  ~TargetDirectory();  // what was not finished goes
  TargetDirectory(const TargetDirectory&) = delete;
  TargetDirectory& operator=(const TargetDirectory&) = delete;

  const std::string& path() const { return beside_; }  // where to write
  void finish();                                       // to where it belongs

 private:
  void remove() const;

  Target target_;
  IsWritten written_;
  std::string beside_;
  std::optional<DirectoryLock> quiet_ = {};
  Unfinished goes_{[this] { remove(); }};
};

// What a model, its tokenizer and its training consist of, by name.
bool is_model_file(const std::string& name);  // weights, adapters and configurations
bool is_tokenizer_file(const std::string& name);
bool is_run_file(const std::string& name);  // these, checkpoints, metrics, the recipe

// Names of a directory that one of these knows.
std::vector<std::string> written_names(const std::string& directory,
                                       TargetDirectory::IsWritten written);
int64_t newest_checkpoint(const std::string& directory);  // its step; -1: none
// Everything in `from` goes to `to`, where what is written makes room for it; the old goes last.
void replace_written(const std::string& from, const std::string& to,
                     TargetDirectory::IsWritten written);
// UsageError: what is there, and what to do instead.
[[noreturn]] void refuse_target(const Target& target, const std::string& what, const char* instead);

}  // namespace jogak
