#include "cli/bench_rows.h"

#include <map>

namespace jogak {

std::string bench_row(const std::string& key, Lang lang) {
  static const std::map<std::string, const char*> korean = {
      {"backward_ms", "역방향, ms"},
      {"bandwidth_share", "메모리 속도에 대한 비율"},
      {"batch", "배치"},
      {"beams", "빔"},
      {"bytes", "바이트"},
      {"decode_mb_s", "디코딩, MB/초"},
      {"decode_tokens_per_s", "쓰기, 토큰/초"},
      {"documents", "문서"},
      {"dtype", "데이터형"},
      {"encode_full_mb_s", "자리까지 인코딩, MB/초"},
      {"encode_mb_s", "인코딩, MB/초"},
      {"examples_per_s", "예/초"},
      {"family", "모델 종류"},
      {"first_token_ms", "첫 토큰까지, ms"},
      {"forward_ms", "순방향, ms"},
      {"gflops_bf16", "bf16 곱의 최고, GFLOP/초"},
      {"gflops_f32", "f32 곱의 최고, GFLOP/초"},
      {"gops_int8", "8비트 곱의 최고, G번/초"},
      {"ids_sha256", "토큰 번호의 SHA-256"},
      {"inputs", "입력"},
      {"isa", "명령어 집합"},
      {"load_ms", "읽어 들이기, ms"},
      {"matrix_products_share", "행렬 곱의 비율"},
      {"ms_per_pass", "한 번에, ms"},
      {"ms_per_pass_best", "한 번에, 가장 빠를 때, ms"},
      {"ms_per_step", "스텝마다, ms"},
      {"ms_per_step_best", "스텝마다, 가장 빠를 때, ms"},
      {"outputs", "출력"},
      {"parameters", "매개변수"},
      {"peak_device_mb", "장치의 최대 메모리, MB"},
      {"peak_rss_mb", "최대 메모리, MB"},
      {"prefill_tokens_per_s", "프롬프트 읽기, 토큰/초"},
      {"read_gb_s", "메모리 읽기, GB/초"},
      {"read_gb_s_best", "메모리 읽기, 가장 빠를 때, GB/초"},
      {"recompute", "다시 계산"},
      {"rows", "행"},
      {"seconds", "초"},
      {"seq", "길이"},
      {"share", "비율"},
      {"steps", "스텝"},
      {"text_sha256", "글의 SHA-256"},
      {"threads", "스레드"},
      {"tokenizer", "토크나이저"},
      {"tokens", "토큰"},
      {"tokens_per_s", "토큰/초"},
      {"vocab_size", "어휘 크기"},
      {"weight_bytes_per_token", "토큰마다 읽는 가중치, 바이트"},
      {"weight_gb_s", "가중치 읽기, GB/초"},
      {"weight_gb_s_best", "가중치 읽기, 가장 빠를 때, GB/초"}};
  const auto found = korean.find(key);
  return lang == Lang::ko && found != korean.end() ? found->second : key;
}

}  // namespace jogak
