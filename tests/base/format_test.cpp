#include "base/format.h"

#include <cmath>

#include "base/error.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Format, Counts) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(-999), "-999");
  EXPECT_EQ(format_count(-123456), "-123,456");
  EXPECT_EQ(format_count(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(Format, Bytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(497759232), "474.7 MiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Format, Seconds) {
  EXPECT_EQ(format_seconds(0), "0.0 s");
  EXPECT_EQ(format_seconds(-1), "0.0 s");
  EXPECT_EQ(format_seconds(3.14159), "3.1 s");
  EXPECT_EQ(format_seconds(9.96), "10 s");
  EXPECT_EQ(format_seconds(59.4), "59 s");
  EXPECT_EQ(format_seconds(59.6), "1 min");
  EXPECT_EQ(format_seconds(72), "1 min 12 s");
  EXPECT_EQ(format_seconds(3599.6), "1 h");
  EXPECT_EQ(format_seconds(3600 + 29 * 60 + 31), "1 h 30 min");
  EXPECT_EQ(format_seconds(86400 * 3 + 3600 * 5), "3 d 5 h");
  EXPECT_EQ(format_seconds(std::nan("")), "?");
  EXPECT_EQ(format_seconds(72, Lang::ko), "1분 12초");
  EXPECT_EQ(format_seconds(7200, Lang::ko), "2시간");
}

TEST(Format, Fixed) {
  EXPECT_EQ(fixed(2, 3), "2.000");
  EXPECT_EQ(fixed(1.005, 1), "1.0");
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-0.006, 2), "-0.01");
  EXPECT_EQ(fixed(12.5, 0), "12");
  EXPECT_EQ(fixed(HUGE_VAL, 2), "inf");
  EXPECT_EQ(fixed(-HUGE_VAL, 2), "-inf");
  EXPECT_EQ(fixed(std::nan(""), 2), "nan");
  EXPECT_EQ(fixed(1.7976931348623157e308, 60).size(), 309u + 61u);
}

TEST(TextTable, NumbersFlushRightHangulLinesUp) {
  TextTable table({"name", "shape", "parameters"});
  table.row({"가중치", "[2, 3]", "1,234"}).row({"b", "[3]", "-"}).row({"all"});
  EXPECT_EQ(table.text(),
            "name    shape   parameters\n"
            "──────  ──────  ──────────\n"
            "가중치  [2, 3]       1,234\n"
            "b       [3]              -\n"
            "all\n");
  expect_error<Error>(
      [&] {
        table.row({"1", "2", "3", "4"});
      },
      "a table row has 4 cells, its header 3");
}

TEST(TextTable, WithoutRowsTheHeaderStands) {
  EXPECT_EQ(TextTable({"a", "bc"}).text(), "a  bc\n─  ──\n");
}

}  // namespace
}  // namespace jogak
