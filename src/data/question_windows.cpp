#include "data/question_windows.h"

#include <algorithm>

#include "base/error.h"
#include "data/question_text.h"

namespace jogak {
namespace {

// The part's tokens are the last that come from a text, behind what stands between the two.
QuestionWindow window_of(Encoding text, size_t offset) {
  QuestionWindow out{std::move(text), offset};
  const std::vector<uint8_t>& special = out.text.special_mask;
  out.last = special.size();
  while (out.last > 0 && special[out.last - 1]) --out.last;
  out.first = out.last;
  while (out.first > 0 && !special[out.first - 1]) --out.first;
  return out;
}

}  // namespace

std::vector<QuestionWindow> question_windows(const Tokenizer& tokenizer,
                                             const std::string& question,
                                             const std::string& context, size_t most,
                                             size_t stride) {
  const EncodeOptions plain{.special_as_text = true};
  const EncodeOptions bare{.add_special = false, .special_as_text = true};
  const Encoding alone = tokenizer.encode(context, bare);
  const size_t around = tokenizer.encode_pair(question, "", plain).ids.size();
  ensure<FormatError>(around > tokenizer.encode(question, bare).ids.size(),
                      "the tokenizer puts no token between two texts, which questions need");
  ensure<FormatError>(around < most, "a question of ", around, " tokens leaves no room for a text ",
                      "where ", most, " are read");
  const size_t room = most - around, count = alone.ids.size();
  std::vector<QuestionWindow> out;
  if (count <= room) {
    out.push_back(window_of(tokenizer.encode_pair(question, context, plain), 0));
    return out;
  }
  const size_t step = room - std::min(stride, room / 2);
  for (size_t from = 0;; from += step) {
    const size_t to = std::min(from + room, count);
    const size_t begin = alone.offsets[from].from, end = alone.offsets[to - 1].to;
    EncodeOptions cut = plain;
    cut.most = most;  // a part by itself may have a token more
    out.push_back(
        window_of(tokenizer.encode_pair(question, characters(context, begin, end), cut), begin));
    if (to == count) return out;
  }
}

}  // namespace jogak
