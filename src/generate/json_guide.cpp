#include "generate/json_guide.h"

#include <algorithm>
#include <limits>

#include "generate/json_machine.h"

namespace jogak {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

class JsonGuide final : public TokenGuide {
 public:
  explicit JsonGuide(const JsonGuideParts& parts)
      : parts_(parts), machine_(parts.rules->root()), state_(machine_.start()) {}

  void narrow(std::span<float> scores) override;
  void take(int id) override;
  bool whole() const override { return state_ == JsonMachine::kWhole; }

 private:
  const JsonGuideParts parts_;
  JsonMachine machine_;
  JsonMachine::State state_;
  std::vector<int> allowed_;  // of the last narrow(): places in parts_.tokens, sorted by place
};

// Tokens are walked in the order of their bytes. `path` has the states along the last one, as far
// as it could come; the next begins where it differs from it.
void JsonGuide::narrow(std::span<float> scores) {
  const size_t before = machine_.size();
  std::vector<JsonMachine::State> path = {state_};
  std::vector<float> kept(scores.size(), kNever);
  allowed_.clear();
  const std::string* last = nullptr;
  for (size_t i = 0; i < parts_.tokens->size(); ++i) {
    const auto& [bytes, id] = (*parts_.tokens)[i];
    size_t same = 0;
    if (last) {
      const size_t most = std::min(last->size(), bytes.size());
      while (same < most && (*last)[same] == bytes[same]) ++same;
    }
    last = &bytes;
    if (same >= path.size()) continue;  // the byte that stopped the last one stops it too
    path.resize(same + 1);
    while (path.size() <= bytes.size()) {
      JsonMachine::State next = path.back();
      if (!machine_.take(next, static_cast<unsigned char>(bytes[path.size() - 1]))) break;
      path.push_back(next);
    }
    if (path.size() <= bytes.size() || static_cast<size_t>(id) >= scores.size()) continue;
    kept[static_cast<size_t>(id)] = scores[static_cast<size_t>(id)];
    allowed_.push_back(static_cast<int>(i));
  }
  machine_.cut(before);
  if (machine_.may_end(state_))
    for (const int id : parts_.ends)
      kept[static_cast<size_t>(id)] = scores[static_cast<size_t>(id)];
  const bool any = std::any_of(kept.begin(), kept.end(), [](float x) { return x > kNever; });
  ensure<UsageError>(any, "response_format: no token of this model goes on with the text as JSON");
  std::copy(kept.begin(), kept.end(), scores.begin());
}

void JsonGuide::take(int id) {
  for (const int i : allowed_) {
    const auto& [bytes, token] = (*parts_.tokens)[static_cast<size_t>(i)];
    if (token != id) continue;
    for (const char byte : bytes) machine_.take(state_, static_cast<unsigned char>(byte));
    return;
  }
}

}  // namespace

std::unique_ptr<TokenGuide> json_guide(const JsonGuideParts& parts) {
  return std::make_unique<JsonGuide>(parts);
}

}  // namespace jogak
