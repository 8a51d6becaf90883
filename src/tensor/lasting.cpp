#include "tensor/lasting.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace jogak {
namespace {

constexpr size_t kPiece = size_t{32} << 20, kLargest = kPiece / 2;
constexpr size_t kBorder = 256;

struct Piece {
  Storage memory{cpu_device(), kPiece};
  std::map<size_t, size_t> free = {{0, kPiece}};  // where it begins, how long it is
};

struct Pieces {
  std::mutex mutex;  // of the list, and of what is free in each
  std::vector<std::weak_ptr<Piece>> all;
};

Pieces& pieces() {
  static auto* const all = new Pieces;  // outlives every static tensor
  return *all;
}

// A stretch of a piece, which is free again when nobody holds it.
class Block {
 public:
  Block(std::shared_ptr<Piece> piece, size_t begin, size_t size)
      : piece_(std::move(piece)), begin_(begin), size_(size) {}
  ~Block() {
    const std::scoped_lock lock(pieces().mutex);
    const auto after = piece_->free.lower_bound(begin_);
    if (after != piece_->free.end() && begin_ + size_ == after->first) {
      size_ += after->second;
      piece_->free.erase(after);
    }
    const auto next = piece_->free.lower_bound(begin_);
    if (next != piece_->free.begin())
      if (const auto before = std::prev(next); before->first + before->second == begin_) {
        before->second += size_;
        return;
      }
    piece_->free[begin_] = size_;
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::shared_ptr<Storage> storage(size_t bytes, std::shared_ptr<const Block> self) const {
    return std::make_shared<Storage>(piece_->memory, begin_, bytes, std::move(self));
  }

 private:
  std::shared_ptr<Piece> piece_;
  size_t begin_, size_;
};

// The first stretch that is long enough, so that what was given back is used again.
std::shared_ptr<const Block> take_from(const std::shared_ptr<Piece>& piece, size_t size) {
  const auto found = std::find_if(piece->free.begin(), piece->free.end(),
                                  [&](const auto& stretch) { return stretch.second >= size; });
  if (found == piece->free.end()) return nullptr;
  const auto [begin, length] = *found;
  auto out = std::make_shared<const Block>(piece, begin, size);
  piece->free.erase(found);
  if (length > size) piece->free[begin + size] = length - size;
  return out;
}

std::shared_ptr<const Block> take_block(size_t size) {
  const std::scoped_lock lock(pieces().mutex);
  auto& all = pieces().all;
  std::erase_if(all, [](const std::weak_ptr<Piece>& piece) { return piece.expired(); });
  for (const std::weak_ptr<Piece>& one : all)
    if (const std::shared_ptr<Piece> piece = one.lock())
      if (auto block = take_from(piece, size)) return block;
  const auto fresh = std::make_shared<Piece>();
  all.push_back(fresh);
  return take_from(fresh, size);
}

}  // namespace

std::shared_ptr<Storage> lasting_storage(size_t bytes) {
  if (bytes > kLargest) return std::make_shared<Storage>(cpu_device(), bytes);
  const size_t size = std::max<size_t>(1, (bytes + kBorder - 1) / kBorder) * kBorder;
  const std::shared_ptr<const Block> block = take_block(size);
  return block->storage(bytes, block);
}

}  // namespace jogak
