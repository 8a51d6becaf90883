// Reading .gz and .zst.
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/file.h"
#include "base/hash/hash.h"
#include "base/read_digests.h"

namespace jogak {
namespace {

constexpr size_t kChunk = 1 << 18;

void check_limit(const std::string& path, size_t size, size_t limit) {
  ensure<FormatError>(size <= limit, path, ": unpacks to more than ", limit, " bytes");
}

// The file in portions of kChunk bytes, copied: a mapped byte of a file that was cut short
// meanwhile cannot be looked at.
class Portions {
 public:
  explicit Portions(const MappedFile& file) : file_(file), bytes_(kChunk) {}

  std::span<std::byte> next() {  // empty at the end
    const size_t size = std::min(kChunk, file_.size() - at_);
    const std::span<std::byte> portion(bytes_.data(), size);
    file_.read(at_, portion);
    at_ += size;
    return portion;
  }

 private:
  const MappedFile& file_;
  std::vector<std::byte> bytes_;
  size_t at_ = 0;
};

void unpack_zstd(const MappedFile& file, size_t limit, const Sink& take) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> stream(ZSTD_createDCtx(),
                                                                    &ZSTD_freeDCtx);
  std::string chunk(kChunk, '\0');
  Portions portions(file);
  size_t at = 0, size = 0, pending = 0;
  while (at < file.size()) {
    const std::span<std::byte> portion = portions.next();
    ZSTD_inBuffer in{portion.data(), portion.size(), 0};
    while (in.pos < in.size) {  // a frame's last byte is only taken once all its output is out
      ZSTD_outBuffer piece{chunk.data(), chunk.size(), 0};
      const size_t before = in.pos;
      pending = ZSTD_decompressStream(stream.get(), &piece, &in);
      ensure<FormatError>(!ZSTD_isError(pending), file.path(), ": byte ", at + before,
                          ": not valid zstd: ", ZSTD_getErrorName(pending));
      check_limit(file.path(), size += piece.pos, limit);
      take({chunk.data(), piece.pos});
    }
    at += portion.size();
  }
  ensure<FormatError>(pending == 0, file.path(), ": byte ", file.size(),
                      ": the zstd stream ends too early");
}

void unpack_gzip(const MappedFile& file, size_t limit, const Sink& take) {
  z_stream stream{};
  ensure<Error>(inflateInit2(&stream, 15 + 16) == Z_OK, "zlib could not start");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> guard(&stream, &inflateEnd);
  std::string chunk(kChunk, '\0');
  Portions portions(file);
  size_t at = 0, size = 0;
  int state = Z_OK;
  while (at < file.size() || state == Z_OK) {
    if (stream.avail_in == 0) {
      const std::span<std::byte> portion = portions.next();
      stream.next_in = reinterpret_cast<Bytef*>(portion.data());
      stream.avail_in = static_cast<uInt>(portion.size());
    }
    const size_t give = stream.avail_in;
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    state = inflate(&stream, Z_NO_FLUSH);
    at += give - stream.avail_in;
    check_limit(file.path(), size += chunk.size() - stream.avail_out, limit);
    take({chunk.data(), chunk.size() - stream.avail_out});
    if (state == Z_STREAM_END) {  // a .gz file may hold several members
      if (at == file.size()) break;
      inflateReset(&stream);
      state = Z_OK;
    } else {
      ensure<FormatError>(state == Z_OK, file.path(), ": byte ", at, ": not valid gzip: ",
                          stream.msg ? stream.msg : "the stream ends too early");
    }
  }
}

bool ends_with(const std::string& path, std::string_view tail) {
  return path.size() > tail.size() && path.ends_with(tail);
}

bool is_packed(const std::string& path) {
  return ends_with(path, ".gz") || ends_with(path, ".zst");
}

void read_unpacked(const std::string& path, const Sink& take, size_t limit) {
  if (!is_packed(path)) return read_file_in_pieces(path, take);
  const MappedFile file(path);
  ensure<FormatError>(file.size() > 0, path, ": byte 0: the file is empty");
  ends_with(path, ".gz") ? unpack_gzip(file, limit, take) : unpack_zstd(file, limit, take);
}

}  // namespace

void read_text_file_in_pieces(const std::string& path, const Sink& take, size_t limit) {
  ReadDigests* const digests = ReadDigests::active();
  if (!digests) return read_unpacked(path, take, limit);
  Sha256 hash;
  read_unpacked(
      path,
      [&](std::string_view piece) {
        hash.update(piece);
        take(piece);
      },
      limit);
  digests->keep(path, hash.hex());
}

std::string read_text_file(const std::string& path, size_t limit) {
  std::string out;
  if (is_packed(path)) {
    read_unpacked(
        path, [&](std::string_view piece) { out += piece; }, limit);
  } else {
    out = read_file(path);
  }
  if (ReadDigests* const digests = ReadDigests::active()) digests->keep(path, sha256_hex(out));
  return out;
}

}  // namespace jogak
