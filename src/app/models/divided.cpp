#include "app/models/divided.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "app/models/model.h"
#include "base/file.h"
#include "group/add.h"
#include "tensor/counting_device.h"
#include "text/tokenizer.h"
#include "train/memory.h"

namespace jogak {
namespace {

std::shared_ptr<const Split>& chosen_split() {
  static std::shared_ptr<const Split> split;
  return split;
}

std::string command_line() {
  std::string out;
  read_file_in_pieces("/proc/self/cmdline", [&](std::string_view piece) { out += piece; });
  std::replace(out.begin(), out.end(), '\0', ' ');
  const size_t program = out.find(' ');  // which may be called by another path elsewhere
  return out.substr(std::min(program + 1, out.size()));
}

void silence() {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ensure<IoError>(nowhere >= 0 && ::dup2(nowhere, STDIN_FILENO) >= 0 &&
                      ::dup2(nowhere, STDOUT_FILENO) >= 0,
                  "/dev/null: cannot be opened");
  ::close(nowhere);
}

}  // namespace

Division::Division(const ProcessRequest& request, const std::atomic<bool>* stop)
    : group_(join_processes(request, {{"command", command_line()}}, stop)) {
  if (!group_) return;
  if (!first()) silence();
  Split split{.self = group_->processes(), .add = {}};
  split.add = [group = group_](const Tensor& x) {
    add_over(*group, {x.data<float>(), static_cast<size_t>(x.count())});
  };
  chosen_split() = std::make_shared<const Split>(std::move(split));
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

std::shared_ptr<const Split> model_split() { return chosen_split(); }

int64_t longest_prompt(const std::string& directory, const std::vector<std::string>& prompts) {
  const Tokenizer tokenizer = Tokenizer::load(directory);
  int64_t out = 1;
  for (const std::string& prompt : prompts)
    out = std::max(out, std::ssize(tokenizer.encode(prompt).ids));
  return out;
}

size_t predict_divided(const std::string& directory, const std::string& dtype, int64_t processes,
                       int64_t tokens) {
  // What reading adds beside tensors: code of the kernels, threads, scratch memory of products.
  constexpr size_t kBeside = 6'000'000;
  const size_t resident = resident_bytes();
  CountingDevice device;
  ModelPlace place{.device = &device, .use = weight_use(dtype)};
  if (processes > 1)
    place.split = std::make_shared<const Split>(
        Split{.self = {0, processes}, .add = [](const Tensor&) {}});
  {
    const Model model = open_language_model(directory, place);
    Run run;
    model.causal.forward(zeros({1, std::max<int64_t>(tokens, 1)}, DType::i64), run);
  }
  return resident + device.peak_held_bytes() + kBeside;
}

}  // namespace jogak
