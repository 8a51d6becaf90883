#include "app/data/line_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"

namespace jogak {

LineReader::LineReader(int fd, std::string name, const std::atomic<bool>* stop, size_t longest)
    : fd_(fd), name_(std::move(name)), stop_(stop), long_(longest) {}

bool LineReader::fill() {
  constexpr size_t kPiece = size_t{1} << 18;
  if (ended_) return false;
  if (before_waiting_) before_waiting_();
  buffer_.erase(0, used_);
  searched_ -= used_;
  used_ = 0;
  const size_t before = buffer_.size();
  buffer_.resize(before + kPiece);
  ssize_t n = -1;
  while (n < 0) {
    ensure<Stopped>(!stop_ || !stop_->load(std::memory_order_relaxed), "stopped");
    n = ::read(fd_, buffer_.data() + before, kPiece);
    ensure<IoError>(n >= 0 || errno == EINTR, name_, ": cannot be read: ", std::strerror(errno));
  }
  buffer_.resize(before + static_cast<size_t>(n));
  ended_ = n == 0;
  return n > 0;
}

// The rest of a line that is too long goes as it comes.
void LineReader::pass_over() {
  long_.pass_over(name_, ++number_);
  size_t end = buffer_.find('\n', searched_);
  while (end == std::string::npos) {
    next_offset_ += buffer_.size() - used_;
    used_ = searched_ = buffer_.size();
    if (!fill()) return;
    end = buffer_.find('\n', searched_);
  }
  next_offset_ += end + 1 - used_;
  used_ = searched_ = end + 1;
}

bool LineReader::next(std::string_view& line) {
  size_t end = buffer_.find('\n', searched_);
  while (true) {
    if (std::min(end, buffer_.size()) - used_ > long_.longest()) {
      searched_ = std::min(end, buffer_.size());
      pass_over();
      end = buffer_.find('\n', searched_);
      continue;
    }
    if (end != std::string::npos) break;
    searched_ = buffer_.size();
    if (!fill()) break;
    end = buffer_.find('\n', searched_);
  }
  if (end == std::string::npos && used_ == buffer_.size()) {
    long_.complain();
    return false;
  }
  const bool whole = end != std::string::npos;  // the last line may lack its newline
  if (!whole) end = buffer_.size();
  line = std::string_view(buffer_).substr(used_, end - used_);
  offset_ = next_offset_;
  next_offset_ += line.size() + whole;
  ++number_;
  used_ = searched_ = end + whole;
  return true;
}

void ensure_utf8(const LineReader& in, std::string_view line) {
  const size_t bad = utf8::first_invalid(line);
  ensure<FormatError>(bad == std::string_view::npos, in.name(), ": byte ", in.offset() + bad,
                      ": line ", in.number(),
                      ": found bytes that are not UTF-8, wanted UTF-8 text");
}

std::string read_everything(LineReader& in) {
  constexpr size_t kMost = kLongestInputLine;
  std::string out;
  for (std::string_view line; in.next(line);) {
    ensure_utf8(in, line);
    if (in.number() > 1) out += '\n';
    out += line;
    ensure<FormatError>(out.size() <= kMost, in.name(), ": found more than ", kMost,
                        " bytes, wanted at most ", kMost);
  }
  return out;
}

}  // namespace jogak
