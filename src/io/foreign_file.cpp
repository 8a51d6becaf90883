#include "io/foreign_file.h"

#include <algorithm>
#include <cctype>

namespace jogak {
namespace {

bool begins(std::string_view bytes, std::string_view word) {  // letters of any case
  return bytes.size() >= word.size() &&
         std::equal(word.begin(), word.end(), bytes.begin(), [](unsigned char a, unsigned char b) {
           return std::tolower(a) == std::tolower(b);
         });
}

}  // namespace

const char* foreign_kind(std::string_view bytes) {
  if (bytes.starts_with("version https://git-lfs"))
    return "a Git LFS pointer, not the model; fetch the file itself with `git lfs pull`";
  if (bytes.starts_with("GGUF"))
    return "a GGUF file; `jogak convert` makes a model directory of it; wanted safetensors";
  if (bytes.starts_with("PK\x03\x04"))
    return "a zip archive, as torch.save writes; wanted safetensors (torch's pickle is not read)";
  if (bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
    return "a pickle; pickle is not read, because loading one can run code; wanted safetensors";
  if (bytes.starts_with("\x1f\x8b")) return "a gzip file; unpack it first";
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return "a zstd file; unpack it first";
  const size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return nullptr;
  const std::string_view text = bytes.substr(start);
  for (const char* page : {"<!doctype html", "<html", "<head", "<?xml"})
    if (begins(text, page)) return "a web page, not the model; download the file itself";
  return nullptr;
}

}  // namespace jogak
