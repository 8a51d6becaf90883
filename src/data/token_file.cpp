// The cache file: a head of 64 bytes, the ids in 2 or 4 bytes each, and 40 bytes of what is known
// last. Little-endian.
//   0  "JOGAKTOK"   8 schema (4)   12 bytes of an id (4)   16 vocab_size (8)
//   24 zero (8)   32 SHA-256 of tokenizer and part
//   behind the ids: SHA-256 of the text's, unpacked (32)   their number (8)
#include "data/token_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/hash/hash.h"
#include "base/read_digests.h"

namespace jogak {
namespace {

constexpr uint32_t kSchema = 3;
constexpr size_t kHeadBytes = 64, kDigestBytes = 32, kTailBytes = kDigestBytes + 8;
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

std::string head_of(const TokenSource& source) {
  std::string head = "JOGAKTOK";
  append_raw(head, kSchema);
  append_raw(head, static_cast<uint32_t>(width_for(source.vocab_size)));
  append_raw(head, source.vocab_size);
  append_raw(head, uint64_t{0});
  return head + digest(Sha256().update(settings_of(source)));
}

// Known already where the text was read meanwhile (base/read_digests.h).
std::string digest_of_text(const TokenSource& source, const std::string& path) {
  const ReadDigests* const read = ReadDigests::active();
  const bool held = source.file && source.file->text() && !(read && read->find(path));
  return digest(Sha256().update(held ? sha256_hex(*source.file->text()) : text_sha256(path)));
}

// Texts of the same name in different places, and different parts or tokenizers, keep apart.
std::string cache_path_of(const TokenSource& source, const std::string& path) {
  std::error_code error;
  std::string place = std::filesystem::canonical(path, error).string();
  if (error) place = path;
  const std::string key = text_of(place.size(), ' ', place, ' ', settings_of(source));
  return join_path(source.cache_directory,
                   file_name(path) + "-" + sha256_hex(key).substr(0, 16) + ".tokens");
}

TextFile text_of_source(const TokenSource& source, const std::string& path) {
  return source.file ? *source.file : TextFile(path);
}

// Encodes what it is fed, piece by piece.
class PieceEncoder {
 public:
  PieceEncoder(const TokenSource& source, const Sink& ids)
      : source_(source),
        ids_(ids),
        cutter_(kPieceBytes, [this](std::string_view piece) { encode(piece); }) {}
  void feed(std::string_view text) { cutter_.feed(text); }
  int64_t finish() {  // the number of ids
    cutter_.finish();
    return count_;
  }

 private:
  void encode(std::string_view piece) {
    std::string raw;
    for (const int id : source_.encode(piece)) {
      ensure<Error>(id >= 0 && id < source_.vocab_size, source_.text, ": the tokenizer gave id ",
                    id, ", wanted one from 0 to ", source_.vocab_size - 1);
      if (width_for(source_.vocab_size) == 2)
        append_raw(raw, static_cast<uint16_t>(id));
      else
        append_raw(raw, static_cast<uint32_t>(id));
      ++count_;
    }
    ids_(raw);
  }

  const TokenSource& source_;
  const Sink& ids_;
  int64_t count_ = 0;
  PieceCutter cutter_;
};

// Encodes the source's part; returns the number of ids.
int64_t encode_part(const TokenSource& source, const TextFile& file, const Sink& ids) {
  PieceEncoder encoder(source, ids);
  const Sink take = [&](std::string_view text) { encoder.feed(text); };
  const Sink leave = [](std::string_view) {};
  if (source.from == 0 && source.to == 1) {
    read_characters(file, 0, INT64_MAX, take);
  } else if (source.from == 0) {
    read_split(file, source.to, {take, leave});
  } else if (source.to == 1) {
    read_split(file, source.from, {leave, take});
  } else {
    const int64_t characters = count_characters(file);
    read_characters(file, border_of(source.from, characters), border_of(source.to, characters),
                    take);
  }
  return encoder.finish();
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

TokenFile::TokenFile(const TokenSource& source, Unread)
    : vocab_size_(source.vocab_size), width_(width_for(source.vocab_size)) {
  check(source);
  name_ = find_data(source.text);
}

TokenFile::TokenFile(const TokenSource& source) : TokenFile(source, Unread{}) {
  if (find_cache(source)) return;
  fill(source,
       [&](const Sink& ids) { return encode_part(source, text_of_source(source, name_), ids); });
}

std::pair<TokenFile, TokenFile> TokenFile::parts(const TokenSource& whole, double share) {
  TokenSource first = whole, second = whole;
  first.to = second.from = share;
  TokenFile before(first, Unread{}), behind(second, Unread{});
  const bool found = before.find_cache(first);
  if (behind.find_cache(second) || found) {
    if (!found) before = TokenFile(first);
    if (!behind.from_cache_) behind = TokenFile(second);
    return {std::move(before), std::move(behind)};
  }
  before.fill(first, [&](const Sink& ids_before) {
    int64_t count = 0;
    behind.fill(second, [&](const Sink& ids_behind) {
      PieceEncoder a(first, ids_before), b(second, ids_behind);
      read_split(text_of_source(whole, before.name_), share,
                 {[&](std::string_view text) { a.feed(text); },
                  [&](std::string_view text) { b.feed(text); }});
      count = a.finish();
      return b.finish();
    });
    return count;
  });
  return {std::move(before), std::move(behind)};
}

void TokenFile::fill(const TokenSource& source, const std::function<int64_t(const Sink&)>& encode) {
  std::optional<ReadDigests> own;  // so that reading the text names it, too
  if (!ReadDigests::active()) own.emplace();
  if (source.cache_directory == kDroppedTokens) {
    dropped_ = true;
    count_ = encode([](std::string_view) {});
    return;
  }
  if (source.cache_directory.empty()) {
    count_ = encode([&](std::string_view ids) { memory_ += ids; });
    return;
  }
  const std::string path = cache_path_of(source, name_), head = head_of(source);
  make_directories(source.cache_directory);
  write_file_with(path, [&](const Sink& sink) {
    sink(head);
    const int64_t count = encode(sink);
    std::string tail = digest_of_text(source, name_);
    append_raw(tail, count);
    sink(tail);
  });
  ensure<IoError>(open_cache(path, head, digest_of_text(source, name_)), path,
                  ": changed right after it was written");
}

bool TokenFile::find_cache(const TokenSource& source) {
  if (source.cache_directory.empty() || source.cache_directory == kDroppedTokens) return false;
  const std::string path = cache_path_of(source, name_);
  from_cache_ =
      file_exists(path) && open_cache(path, head_of(source), digest_of_text(source, name_));
  return from_cache_;
}

// A cache that is damaged or of something else is no error: it is made again.
bool TokenFile::open_cache(const std::string& path, const std::string& expected_head,
                           const std::string& text_digest) {
  MappedFile file(path);
  if (file.size() < kHeadBytes + kTailBytes) return false;
  const size_t id_bytes = file.size() - kHeadBytes - kTailBytes;
  std::string head(kHeadBytes, '\0'), written(kDigestBytes, '\0');
  int64_t count = 0;
  file.read(0, std::as_writable_bytes(std::span(head)));
  file.read(kHeadBytes + id_bytes, std::as_writable_bytes(std::span(written)));
  file.read(kHeadBytes + id_bytes + kDigestBytes, std::as_writable_bytes(std::span(&count, 1)));
  if (head != expected_head || written != text_digest || count < 0) return false;
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
