// The cache file: a head of 96 bytes, the ids in 2 or 4 bytes each, and 8 bytes with their number,
// which is known last. Little-endian.
//   0  "JOGAKTOK"   8 schema (4)   12 bytes of an id (4)   16 vocab_size (8)
//   24 zero (8)   32 SHA-256 of the text, unpacked   64 SHA-256 of tokenizer and part
#include "data/token_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/hash.h"
#include "base/read_digests.h"
#include "base/utf8.h"

namespace jogak {
namespace {

constexpr uint32_t kSchema = 2;
constexpr size_t kHeadBytes = 96, kTailBytes = 8;
constexpr size_t kPieceBytes = 1 << 20;

template <class T>
void append_raw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string digest(const Sha256& hash) {
  const auto bytes = hash.digest();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int width_for(int64_t vocab_size) { return vocab_size <= 65536 ? 2 : 4; }

// Lengths go in too, so that no two sources run together to the same text.
std::string settings_of(const TokenSource& source) {
  return text_of(source.tokenizer.size(), ' ', source.tokenizer, ' ', source.vocab_size, ' ',
                 std::hexfloat, source.from, ' ', source.to);
}

std::string head_of(const TokenSource& source, const std::string& path) {
  std::string head = "JOGAKTOK";
  append_raw(head, kSchema);
  append_raw(head, static_cast<uint32_t>(width_for(source.vocab_size)));
  append_raw(head, source.vocab_size);
  append_raw(head, uint64_t{0});
  return head + digest(Sha256().update(text_sha256(path))) +
         digest(Sha256().update(settings_of(source)));
}

// Texts of the same name in different places, and different parts or tokenizers, keep apart.
std::string cache_name(const TokenSource& source, const std::string& path) {
  std::error_code error;
  std::string place = std::filesystem::canonical(path, error).string();
  if (error) place = path;
  const std::string key = text_of(place.size(), ' ', place, ' ', settings_of(source));
  return file_name(path) + "-" + sha256_hex(key).substr(0, 16) + ".tokens";
}

// Encodes the part of the text piece by piece; returns the number of ids written.
int64_t encode_text(const TokenSource& source, const TextFile& file, const Sink& sink) {
  const std::string& path = file.path();
  const int64_t characters = count_characters(file);
  const auto place = [&](double share) {
    return static_cast<int64_t>(std::floor(share * static_cast<double>(characters)));
  };
  const int64_t first = place(source.from), last = place(source.to);
  int64_t count = 0, done = 0;
  PieceCutter cutter(kPieceBytes, [&](std::string_view piece) {
    std::string raw;
    for (const int id : source.encode(piece)) {
      ensure<Error>(id >= 0 && id < source.vocab_size, path, ": the tokenizer gave id ", id,
                    ", wanted one from 0 to ", source.vocab_size - 1);
      if (width_for(source.vocab_size) == 2)
        append_raw(raw, static_cast<uint16_t>(id));
      else
        append_raw(raw, static_cast<uint32_t>(id));
      ++count;
    }
    sink(raw);
    done += static_cast<int64_t>(utf8::count(piece));
    if (source.progress) source.progress(done, last - first);
  });
  read_characters(file, first, last, [&](std::string_view text) { cutter.feed(text); });
  cutter.finish();
  return count;
}

void check(const TokenSource& source) {
  ensure<Error>(source.encode != nullptr, source.text, ": no tokenizer given");
  ensure<Error>(source.vocab_size >= 1 && source.vocab_size <= INT32_MAX, source.text,
                ": vocab_size ", source.vocab_size, ", wanted 1 to ", INT32_MAX);
  ensure<UsageError>(source.from >= 0 && source.from < source.to && source.to <= 1, source.text,
                     ": part ", source.from, " to ", source.to,
                     ", wanted two shares from 0 to 1, the first smaller");
}

}  // namespace

TokenFile::TokenFile(const TokenSource& source)
    : vocab_size_(source.vocab_size), width_(width_for(source.vocab_size)) {
  check(source);
  name_ = find_data(source.text);
  const auto file = [&] { return source.file ? *source.file : TextFile::opened(name_); };
  if (source.cache_directory == kDroppedTokens) {
    dropped_ = true;
    count_ = encode_text(source, file(), [](std::string_view) {});
    return;
  }
  if (source.cache_directory.empty()) {
    count_ = encode_text(source, file(), [&](std::string_view ids) { memory_ += ids; });
    return;
  }
  const std::string path = join_path(source.cache_directory, cache_name(source, name_));
  const std::string head = head_of(source, name_);
  from_cache_ = open_cache(path, head);
  if (from_cache_) return;
  make_directories(source.cache_directory);
  write_file_with(path, [&](const Sink& sink) {
    sink(head);
    std::string tail;
    append_raw(tail, encode_text(source, file(), sink));
    sink(tail);
  });
  ensure<IoError>(open_cache(path, head), path, ": changed right after it was written");
}

bool TokenFile::may_be_cached(const TokenSource& source) {
  return !source.cache_directory.empty() &&
         file_exists(join_path(source.cache_directory, cache_name(source, find_data(source.text))));
}

// A cache that is damaged or of something else is no error: it is made again.
bool TokenFile::open_cache(const std::string& path, const std::string& expected_head) {
  if (!file_exists(path)) return false;
  MappedFile file(path);
  if (file.size() < kHeadBytes + kTailBytes) return false;
  const size_t id_bytes = file.size() - kHeadBytes - kTailBytes;
  std::string head(kHeadBytes, '\0');
  int64_t count = 0;
  file.read(0, std::as_writable_bytes(std::span(head)));
  file.read(kHeadBytes + id_bytes, std::as_writable_bytes(std::span(&count, 1)));
  if (head != expected_head || count < 0) return false;
  const auto width = static_cast<size_t>(width_);
  if (id_bytes % width != 0 || static_cast<size_t>(count) != id_bytes / width) return false;
  file_ = std::move(file);
  count_ = count;
  return true;
}

void TokenFile::read(int64_t begin, std::span<int64_t> out) const {
  const auto wanted = static_cast<int64_t>(out.size());
  ensure<Error>(begin >= 0 && wanted <= count_ && begin <= count_ - wanted, name_, ": tokens ",
                begin, " to ", begin + wanted, " asked for, there are ", count_);
  if (dropped_) return std::fill(out.begin(), out.end(), 0);
  file_.ensure_unchanged();
  // Pages of a mapped file that were read once would count as this process's memory.
  std::string piece;
  if (!file_.path().empty()) {
    piece.resize(static_cast<size_t>(wanted * width_));
    file_.read(kHeadBytes + static_cast<size_t>(begin * width_),
               std::as_writable_bytes(std::span(piece)));
  }
  const char* const ids = piece.empty() ? memory_.data() + begin * width_ : piece.data();
  for (int64_t i = 0; i < wanted; ++i) {
    const char* const at = ids + i * width_;
    uint32_t id = 0;
    std::memcpy(&id, at, static_cast<size_t>(width_));
    ensure<FormatError>(id < vocab_size_, file_.path(), ": byte ",
                        static_cast<int64_t>(kHeadBytes) + (begin + i) * width_, ": found token ",
                        id, ", wanted one below ", vocab_size_);
    out[static_cast<size_t>(i)] = id;
  }
}

}  // namespace jogak
