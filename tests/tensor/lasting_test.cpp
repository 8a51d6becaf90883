// Blocks of memory that lie one behind the other in large pieces.
#include "tensor/lasting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace jogak {
namespace {

size_t live() { return cpu_device().allocator().stats().live_bytes; }

TEST(LastingStorage, BlocksShareAPieceAndNoneTouchesAnother) {
  const size_t before = live();
  std::vector<std::shared_ptr<Storage>> blocks;
  for (const size_t bytes : {size_t{1}, size_t{256}, size_t{300000}, size_t{0}, size_t{4096}})
    blocks.push_back(lasting_storage(bytes));
  EXPECT_LE(live() - before, size_t{32} << 20);
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks[i]->data()) % kAlignment, 0u);
    EXPECT_FALSE(blocks[i]->borrowed());
    std::fill_n(blocks[i]->data(), blocks[i]->bytes(), static_cast<std::byte>(i + 1));
  }
  for (size_t i = 0; i < blocks.size(); ++i)
    EXPECT_TRUE(std::all_of(blocks[i]->data(), blocks[i]->data() + blocks[i]->bytes(),
                            [&](std::byte b) { return b == static_cast<std::byte>(i + 1); }));
}

TEST(LastingStorage, APieceGoesBackWithTheLastOfItsBlocks) {
  const size_t before = live();
  std::shared_ptr<Storage> first = lasting_storage(1000);
  const std::shared_ptr<Storage> second = lasting_storage(2000);
  const size_t with_piece = live();
  EXPECT_GT(with_piece, before);
  std::fill_n(second->data(), 2000, std::byte{7});
  first.reset();
  EXPECT_EQ(live(), with_piece);
  EXPECT_EQ(second->data()[1999], std::byte{7});
}

TEST(LastingStorage, NothingIsLeftOfAPieceThatNobodyUses) {
  const size_t before = live();
  for (int i = 0; i < 100; ++i) lasting_storage(size_t{1} << 20);
  EXPECT_EQ(live(), before);
}

// As a server's models come and go beside one that stays.
TEST(LastingStorage, WhatWasGivenBackIsUsedAgain) {
  const std::shared_ptr<Storage> stays = lasting_storage(1000);
  std::vector<std::shared_ptr<Storage>> blocks(9);
  const std::byte* places[9];
  const auto take = [&](size_t i) { return lasting_storage((i + 1) * 100'000); };
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = take(i), places[i] = blocks[i]->data();
  for (const size_t i : {4, 0, 8, 3, 5, 1, 7, 2, 6}) blocks[i].reset();
  const size_t before = live();
  for (int turn = 0; turn < 1000; ++turn)
    for (size_t i = 0; i < blocks.size(); ++i) {
      blocks[i].reset();
      blocks[i] = take(i);
    }
  EXPECT_EQ(live(), before);  // 4.5 GB in all
  for (size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(blocks[i]->data(), places[i]) << i;
}

TEST(LastingStorage, LargeBlocksAndFullPiecesBeginAnother) {
  const size_t large = size_t{20} << 20, part = size_t{10} << 20;
  const std::shared_ptr<Storage> alone = lasting_storage(large);
  EXPECT_EQ(alone->bytes(), large);
  std::vector<std::shared_ptr<Storage>> parts;
  for (int i = 0; i < 4; ++i) {
    parts.push_back(lasting_storage(part));
    std::fill_n(parts.back()->data(), part, static_cast<std::byte>(i));
  }
  for (size_t i = 0; i < 4; ++i)
    for (const size_t at : {size_t{0}, part / 2, part - 1})
      EXPECT_EQ(parts[i]->data()[at], static_cast<std::byte>(i));
}

}  // namespace
}  // namespace jogak
