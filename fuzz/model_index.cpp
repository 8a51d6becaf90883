// A directory of shards: the index up to the first zero byte, and after it a shard called "x"
// beside the whole ones "a" and "b". Refused with one line, or every byte of every tensor is read.
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "fuzz/check.h"
#include "io/model_files.h"

namespace {

using namespace jogak;

void write_plain(const std::string& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  fuzz::require(file != nullptr);
  fuzz::require(bytes.empty() || std::fwrite(bytes.data(), bytes.size(), 1, file) == 1);
  fuzz::require(std::fclose(file) == 0);
}

// In memory where the system has it: two files are written for every input.
struct Directory {
  std::string path;
  Directory() {
    path = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + std::string("/jogak-XXXXXX");
    fuzz::require(mkdtemp(path.data()) != nullptr);
    save_safetensors(path + "/a", {{"one", scalar(1)}, {"two", zeros({2, 3})}});
    save_safetensors(path + "/b", {{"three", scalar(3)}});
  }
  ~Directory() {
    for (const char* name : {"/a", "/b", "/x", "/model.safetensors.index.json"})
      std::remove((path + name).c_str());
    rmdir(path.c_str());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Directory directory;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(bytes.find('\0'), size);
  write_plain(directory.path + "/" + kModelIndexFile, bytes.substr(0, end));
  write_plain(directory.path + "/x", bytes.substr(std::min(size, end + 1)));
  try {
    const ModelFiles files(directory.path);
    uint64_t sum = 0;
    for (const std::string& name : files.names()) {
      const TensorInfo& info = files.info(name);
      if (!info.type->dtype) continue;
      const Tensor values = files.get(name);
      fuzz::require(values.bytes() == info.bytes());
      for (const uint8_t byte :
           std::span(static_cast<const uint8_t*>(values.raw()), values.bytes()))
        sum += byte;
    }
    fuzz::require(sum <= 255 * (files.bytes() + 1));
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
