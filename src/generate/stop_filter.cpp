#include "generate/stop_filter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/terminal.h"
#include "base/utf8.h"

namespace jogak {
namespace {

// Where the longest end of `text` that begins `stop`, but is not all of it, starts.
size_t open_end(std::string_view text, std::string_view stop) {
  const size_t first = text.size() - std::min(text.size(), stop.size() - 1);
  for (size_t at = first; at < text.size(); ++at)
    if (stop.starts_with(text.substr(at))) return at;
  return text.size();
}

}  // namespace

StopFilter::StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {
  ensure<UsageError>(stops_.size() <= kMost, "stop: found ", stops_.size(),
                     " strings, wanted at most ", kMost);
  for (const std::string& stop : stops_) {
    ensure<UsageError>(!stop.empty(), "stop: found an empty string, wanted some text");
    ensure<UsageError>(stop.size() <= kLongest, "stop: found ", stop.size(),
                       " bytes, wanted at most ", kLongest);
    ensure<UsageError>(utf8::first_invalid(stop) == std::string_view::npos, "stop: found ",
                       quoted(stop), ", wanted UTF-8");
  }
}

std::string StopFilter::push(std::string_view text) {
  if (stopped_) return {};
  held_ += text;
  size_t found = std::string::npos, show = held_.size();
  for (const std::string& stop : stops_) {
    found = std::min(found, held_.find(stop));
    show = std::min(show, open_end(held_, stop));
  }
  stopped_ = found != std::string::npos;
  std::string out = held_.substr(0, stopped_ ? found : show);
  held_.erase(0, stopped_ ? held_.size() : show);
  return out;
}

std::string StopFilter::finish() { return stopped_ ? std::string() : std::exchange(held_, {}); }

}  // namespace jogak
