// The columns of tables, in the reader's language.
#include "look/inspection.h"

namespace jogak {

std::string column_title(const std::string& column, Lang lang) {
  struct Named {
    std::string_view name, korean;
  };
  constexpr Named kColumns[] = {
      {"after", "후"},         {"answer", "답"},          {"before", "전"},
      {"change", "변화"},      {"distance", "평균 거리"}, {"divergence", "달라진 정도"},
      {"entropy", "엔트로피"}, {"first", "첫 토큰"},      {"head", "헤드"},
      {"induction", "귀납"},   {"input", "입력"},         {"itself", "자기"},
      {"kind", "종류"},        {"layer", "층"},           {"looks", "보는 것"},
      {"loss", "손실"},        {"max", "최댓값"},         {"mean", "평균"},
      {"min", "최솟값"},       {"near", "둘레"},          {"next", "뒤 토큰"},
      {"p", "확률"},           {"p after", "후의 확률"},  {"part", "부분"},
      {"place", "자리"},       {"previous", "앞 토큰"},   {"same", "같은 토큰"},
      {"shape", "모양"},       {"std", "표준편차"},       {"step", "단계"},
      {"stream", "층의 출력"}, {"values", "수의 개수"},   {"weight", "가중치"},
      {"weights", "가중치"},
  };
  if (lang == Lang::ko)
    for (const Named& one : kColumns)
      if (one.name == column) return std::string(one.korean);
  return column;
}

std::vector<std::string> table_heads(const DataTable& table, Lang lang) {
  if (!table.heads.empty()) return table.heads;
  std::vector<std::string> out;
  for (const std::string& column : table.columns) out.push_back(column_title(column, lang));
  return out;
}

std::string table_cell(const DataTable& table, size_t row, size_t column) {
  const auto spoken = table.spoken.find(column);
  return spoken == table.spoken.end() ? cell_text(table.rows[row][column]) : spoken->second.at(row);
}

}  // namespace jogak
