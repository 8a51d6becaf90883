#include "generate/json_guide.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "generate/json_machine.h"

namespace jogak {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

class JsonGuide final : public TokenGuide {
 public:
  explicit JsonGuide(const JsonGuideParts& parts)
      : parts_(parts), machine_(parts.rules->root()), state_(machine_.start()) {}

  void narrow(std::span<float> scores, int64_t left) override;
  void take(int id) override;
  bool whole() const override { return state_ == JsonMachine::kWhole; }

 private:
  const JsonGuideParts parts_;
  JsonMachine machine_;
  JsonMachine::State state_;
  std::vector<int> allowed_;  // of the last narrow(): places in parts_.tokens, sorted by place

  void walk(size_t tokens);
  void leave_room(int64_t left);
  std::vector<int64_t> rests_;  // how many bytes end the text behind each of those
};

// Tokens are walked in the order of their bytes. `path` has the states along the last one, as far
// as it could come; the next begins where it differs from it.
void JsonGuide::walk(size_t vocabulary) {
  std::vector<JsonMachine::State> path = {state_};
  JsonMachine::State behind = state_;
  int64_t rest = machine_.bytes_to_end(state_);
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
    if (path.size() <= bytes.size() || static_cast<size_t>(id) >= vocabulary) continue;
    if (path.back() != std::exchange(behind, path.back())) rest = machine_.bytes_to_end(behind);
    allowed_.push_back(static_cast<int>(i));
    rests_.push_back(rest);
  }
}

// Of those that may come, the ones behind which the text can be ended by a token a byte. Where
// there is none the text may be cut, or longer tokens may end it.
void JsonGuide::leave_room(int64_t left) {
  const auto fits = [&](size_t i) { return rests_[i] < left; };
  size_t kept = 0;
  for (size_t i = 0; i < allowed_.size(); ++i)
    if (fits(i)) allowed_[kept++] = allowed_[i];
  if (kept > 0) allowed_.resize(kept);
}

void JsonGuide::narrow(std::span<float> scores, int64_t left) {
  const size_t before = machine_.size();
  allowed_.clear(), rests_.clear();
  walk(scores.size());
  machine_.cut(before);
  leave_room(left);
  std::vector<float> kept(scores.size(), kNever);
  const auto keep = [&](int id) {
    kept[static_cast<size_t>(id)] = scores[static_cast<size_t>(id)];
  };
  for (const int i : allowed_) keep((*parts_.tokens)[static_cast<size_t>(i)].second);
  if (machine_.may_end(state_))
    for (const int id : parts_.ends) keep(id);
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
