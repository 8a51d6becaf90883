#include "train/metrics.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/file.h"
#include "base/hash/crc32c.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

std::vector<std::string> event_files(const std::string& directory) {
  std::vector<std::string> out;
  for (const std::string& name : list_directory(directory))
    if (name.find("tfevents") != std::string::npos) out.push_back(join_path(directory, name));
  return out;
}

template <class T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.substr(at, sizeof value).data(), sizeof value);
  return value;
}

// The records of a file, every frame and checksum proved.
std::vector<std::string> records_of(const std::string& path) {
  const std::string file = read_file(path);
  std::vector<std::string> out;
  for (size_t at = 0; at < file.size();) {
    EXPECT_LE(at + 16, file.size());
    const std::string_view head = std::string_view(file).substr(at, 8);
    const auto size = number_at<uint64_t>(file, at);
    EXPECT_EQ(number_at<uint32_t>(file, at + 8), masked_crc32c(head));
    EXPECT_LE(at + 16 + size, file.size());
    if (at + 16 + size > file.size()) break;
    out.push_back(file.substr(at + 12, size));
    EXPECT_EQ(number_at<uint32_t>(file, at + 12 + size), masked_crc32c(out.back()));
    at += 16 + size;
  }
  return out;
}

// A protobuf message as "field: value" pairs; nested messages in braces.
std::string shown(std::string_view message, const std::string& nested) {
  std::string out;
  size_t at = 0;
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const uint64_t key = varint(), field = key >> 3;
    out += text_of(out.empty() ? "" : " ", field, ":");
    if ((key & 7) == 0) out += text_of(varint());
    if ((key & 7) == 1) out += text_of("d"), at += 8;
    if ((key & 7) == 5) out += text_of(number_at<float>(message, at)), at += 4;
    if ((key & 7) == 2) {
      const uint64_t size = varint();
      const std::string_view inner = message.substr(at, size);
      const bool open = nested.find(static_cast<char>('0' + field)) != std::string::npos;
      out += open ? "{" + shown(inner, nested.substr(1)) + "}" : "\"" + std::string(inner) + "\"";
      at += size;
    }
  }
  return out;
}

TEST(Metrics, LinesAndEventsHoldTheSameNumbers) {
  const TempDir dir;
  Metrics metrics(dir.path(), {});
  EXPECT_TRUE(event_files(dir.path()).empty());
  metrics.write(10, {{"train_loss", 2.5}, {"lr", 1e-3}});
  metrics.write(300, {{"valid_loss", 0.1}});
  EXPECT_EQ(read_file(dir / "metrics.jsonl"),
            "{\"schema\":1,\"step\":10,\"train_loss\":2.5,\"lr\":0.001}\n"
            "{\"schema\":1,\"step\":300,\"valid_loss\":0.1}\n");
  ASSERT_EQ(event_files(dir.path()).size(), 1u);
  const auto records = records_of(event_files(dir.path())[0]);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(shown(records[0], "5"), "1:d 2:0 3:\"brain.Event:2\"");
  EXPECT_EQ(shown(records[1], "51"),
            "1:d 2:10 5:{1:{1:\"train_loss\" 2:2.5} 1:{1:\"lr\" 2:0.001}}");
  EXPECT_EQ(shown(records[2], "51"), "1:d 2:300 5:{1:{1:\"valid_loss\" 2:0.1}}");
}

TEST(Metrics, WhatIsNotANumberIsLeftOut) {
  const TempDir dir;
  Metrics metrics(dir.path(), {});
  metrics.write(1, {{"a", std::nan("")},
                    {"b", 1},
                    {"c", 1e300},
                    {"d", std::numeric_limits<double>::infinity()}});
  metrics.write_skipped(2, "the loss is nan");
  EXPECT_EQ(read_file(dir / "metrics.jsonl"),
            "{\"schema\":1,\"step\":1,\"b\":1.0}\n"
            "{\"schema\":1,\"step\":2,\"skipped\":\"the loss is nan\"}\n");
  const auto records = records_of(event_files(dir.path())[0]);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(shown(records[1], "51"), "1:d 2:1 5:{1:{1:\"b\" 2:1}}");
}

TEST(Metrics, ResumingDropsWhatWillComeAgain) {
  const TempDir dir;
  {
    Metrics first(dir.path(), {});
    for (const int64_t step : {5, 10, 15, 20}) {
      first.write(step, {{"train_loss", 1}});
      if (step % 10 == 0) first.write(step, {{"valid_loss", 2}});
    }
  }
  append_line(dir / "metrics.jsonl", "{\"schema\":1,\"step\":2");  // a torn line
  testing::internal::CaptureStderr();
  Metrics second(dir.path(), {.step = 15, .validated_step = 10});
  EXPECT_NE(testing::internal::GetCapturedStderr().find("line 7 is not complete, dropped"),
            std::string::npos);
  second.write(20, {{"train_loss", 3}});
  EXPECT_EQ(read_file(dir / "metrics.jsonl"),
            "{\"schema\":1,\"step\":5,\"train_loss\":1.0}\n"
            "{\"schema\":1,\"step\":10,\"train_loss\":1.0}\n"
            "{\"schema\":1,\"step\":10,\"valid_loss\":2.0}\n"
            "{\"schema\":1,\"step\":15,\"train_loss\":1.0}\n"
            "{\"schema\":1,\"step\":20,\"train_loss\":3.0}\n");
  const auto files = event_files(dir.path());
  ASSERT_EQ(files.size(), 2u);
  const auto records = records_of(files[1]);  // sorts behind the first
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(shown(records[1], "7"), "1:d 2:16 7:{1:1}");  // START at the step after
}

}  // namespace
}  // namespace jogak
