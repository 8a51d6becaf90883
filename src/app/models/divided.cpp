#include "app/models/divided.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "group/add.h"

namespace jogak {
namespace {

std::shared_ptr<const LayerSplit>& chosen_split() {
  static std::shared_ptr<const LayerSplit> split;
  return split;
}

// The words behind the program's name, which may be called by another path elsewhere; which of the
// processes it is, each says otherwise.
std::string command_line() {
  std::string all, out;
  read_file_in_pieces("/proc/self/cmdline", [&](std::string_view piece) { all += piece; });
  bool skipped = true;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\0', at), all.size());
    const std::string word = all.substr(at, end - at);
    at = end + 1;
    const bool which = word == "--process";
    if (!skipped && !which && !word.starts_with("--process=")) out += word + " ";
    skipped = which;
  }
  return out;
}

void silence() {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ensure<IoError>(
      nowhere >= 0 && ::dup2(nowhere, STDIN_FILENO) >= 0 && ::dup2(nowhere, STDOUT_FILENO) >= 0,
      "/dev/null: cannot be opened");
  ::close(nowhere);
}

}  // namespace

Division::Division(const ProcessRequest& request, const std::atomic<bool>* stop)
    : group_(join_processes(request, {{"command", command_line()}}, stop)) {
  if (!group_) return;
  if (!first()) silence();
  LayerSplit split{.self = group_->processes(), .add = {}};
  split.add = [group = group_](const Tensor& x) {
    add_over(*group, {x.data<float>(), static_cast<size_t>(x.count())});
  };
  chosen_split() = std::make_shared<const LayerSplit>(std::move(split));
}

Division::~Division() {
  if (group_) chosen_split().reset();
}

bool Division::first() const { return !group_ || group_->processes().is_first(); }

std::vector<std::string> Division::from_first(std::vector<std::string> texts) const {
  if (!group_) return texts;
  texts.resize(static_cast<size_t>(group_->sum(first() ? std::ssize(texts) : 0)));
  for (std::string& text : texts) text = group_->text_from(0, text);
  return texts;
}

std::shared_ptr<const LayerSplit> model_split() { return chosen_split(); }

}  // namespace jogak
