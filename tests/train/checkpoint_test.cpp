#include "train/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/hash/hash.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/train/toy.h"

namespace jogak {
namespace {

using test::Toy;

constexpr test::ToyOptions kTiny{.with_buffer = true, .features = 2, .hidden = 3, .classes = 2};

struct Written {  // a small checkpoint on disk
  TempDir dir;
  Toy toy;
  Optimizer optimizer{toy.params, {}};
  TrainState state;
  std::string path = dir / "c";
  explicit Written(test::ToyOptions options = kTiny) : toy(options) {
    std::vector<Tensor> grads;
    for (const Tensor& x : toy.params.trained()) grads.push_back(full(x.shape(), 0.5));
    optimizer.step(grads, 0.1);
    state.step = 7;
    state.seed = 0xFFFFFFFFFFFFFFFFULL;
    state.config_hash = sha256_hex("config");
    state.examples = 10;
    state.position = {2, 9};
    state.optimizer = "adamw";
    state.updates = 1;
    state.best_loss = 0.1 + 0.2;
    state.window_loss = 1.0 / 3;
    make_directories(path);
    write_checkpoint(path, toy.params, optimizer.state(), state);
  }
  std::string file(const std::string& name) const { return path + "/" + name; }
  void edit(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = read_file(file(name));
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_file(file(name), text.replace(at, from.size(), to));
  }
  // With the manifest written anew, as a program that knows the format would.
  void reseal() const {
    Json manifest = read_json_file(file("manifest.json"));
    Json files = Json::object();
    for (const auto& [name, entry] : manifest.find("files")->members())
      files.set(name, Json::object({{"bytes", read_file(file(name)).size()},
                                    {"sha256", sha256_file(file(name))}}));
    Json rest = Json::object();
    for (const auto& [key, value] : manifest.members())
      if (key != "sha256") rest.set(key, key == "files" ? files : value);
    const std::string hash = sha256_hex(rest.dump(1));
    write_file(file("manifest.json"), rest.set("sha256", hash).dump(1));
  }
  template <class E = FormatError>
  std::string refusal() const {
    return error_of<E>([&] { Checkpoint c(path); });
  }
};

TEST(Checkpoint, EverythingComesBackBitForBit) {
  const Written w;
  const Checkpoint c(w.path);
  EXPECT_EQ(to_json(c.state()), to_json(w.state));
  EXPECT_EQ(c.state().seed, w.state.seed);
  Toy other({.seed = 5, .with_buffer = true, .features = 2, .hidden = 3, .classes = 2});
  Optimizer adam(other.params, {});
  EXPECT_NE(test::weights_sha256(other.params), test::weights_sha256(w.toy.params));
  c.restore(other.params, adam);
  EXPECT_EQ(test::weights_sha256(other.params), test::weights_sha256(w.toy.params));
  EXPECT_EQ(adam.updates(), 1);
  for (size_t i = 0; i < adam.state().size(); ++i)
    EXPECT_EQ(to_host<float>(adam.state()[i].second),
              to_host<float>(w.optimizer.state()[i].second));
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool kEveryBit = false;  // a sanitized process maps files slowly
#else
constexpr bool kEveryBit = true;
#endif

// scripts/check-damage.sh asks for a larger one.
TEST(Checkpoint, OneFlippedBitAnywhereIsDetected) {
  const Written w(std::getenv("JOGAK_DAMAGE_STRIDE") ? test::ToyOptions{.with_buffer = true}
                                                     : kTiny);
  size_t bits = 0, detected = 0;
  for (const char* name :
       {"weights.safetensors", "optimizer.safetensors", "state.json", "manifest.json"}) {
    const std::string good = read_file(w.file(name));
    std::fstream file(w.file(name), std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](size_t at, char byte) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte).flush();
    };
    for (size_t i = 0; i < good.size(); ++i) {
      for (int bit = kEveryBit ? 0 : static_cast<int>(i % 8); bit < 8; bit += kEveryBit ? 1 : 8) {
        ++bits;
        put(i, static_cast<char>(good[i] ^ (1 << bit)));
        try {
          const Checkpoint c(w.path);
          ADD_FAILURE() << name << ": byte " << i << ", bit " << bit;
        } catch (const FileError&) {
          ++detected;
        }
      }
      put(i, good[i]);
    }
  }
  EXPECT_EQ(detected, bits);
  EXPECT_GT(bits, 2500u);
  std::printf("%zu of %zu flipped bits (%s) detected\n", detected, bits,
              kEveryBit ? "every one" : "one of every byte");
  const Checkpoint fine(w.path);
}

TEST(Checkpoint, DamageIsNamedByItsTensor) {
  const Written w;
  std::string bytes = read_file(w.file("optimizer.safetensors"));
  const SafetensorsFile file(w.file("optimizer.safetensors"));
  bytes[file.info("v.head.weight").begin + 2] ^= 4;
  write_file(w.file("optimizer.safetensors"), bytes);
  EXPECT_EQ(w.refusal(), w.file("optimizer.safetensors") +
                             ": tensor \"v.head.weight\" is damaged: its checksum is not that of "
                             "the manifest");
}

TEST(Checkpoint, FilesMustBeThereAndNoOthers) {
  const Written w;
  write_file(w.file("extra"), "x");
  EXPECT_EQ(w.refusal(), w.file("extra") + ": a file that the manifest does not list");
  std::filesystem::remove(w.file("extra"));
  std::filesystem::rename(w.file("state.json"), w.dir / "elsewhere");
  EXPECT_EQ(w.refusal<MissingError>(), w.file("state.json") + ": no such file");
  std::filesystem::create_symlink(w.dir / "elsewhere", w.file("state.json"));
  EXPECT_EQ(w.refusal(), w.file("state.json") + ": found a symbolic link, wanted a regular file");
  std::filesystem::rename(w.dir / "elsewhere", w.file("state.json"));
  const Checkpoint fine(w.path);
  std::filesystem::rename(w.path, w.dir / "other");
  std::filesystem::create_directory_symlink(w.dir / "other", w.path);
  EXPECT_EQ(w.refusal(), w.path + ": found a symbolic link, wanted a directory");
  std::filesystem::remove(w.path);
  std::filesystem::rename(w.dir / "other", w.path);
  std::filesystem::remove(w.file("manifest.json"));
  EXPECT_EQ(w.refusal<MissingError>(), w.file("manifest.json") + ": no such file");
}

TEST(Checkpoint, ShortFilesAreNamedWithBothSizes) {
  const Written w;
  const size_t size = read_file(w.file("weights.safetensors")).size();
  std::filesystem::resize_file(w.file("weights.safetensors"), size - 1);
  EXPECT_EQ(w.refusal(), text_of(w.file("weights.safetensors"), ": found ", size - 1,
                                 " bytes, the manifest says ", size));
}

TEST(Checkpoint, ANewerVersionIsRefused) {
  const Written w;
  w.edit("manifest.json", "\"schema\": 1", "\"schema\": 2");
  EXPECT_EQ(w.refusal(), w.file("manifest.json") + ": found schema 2, this version reads up to 1");
  const Written s;
  s.edit("state.json", "\"schema\": 1", "\"schema\": 2");
  s.reseal();
  EXPECT_EQ(s.refusal(), s.file("state.json") + ": found schema 2, this version reads up to 1");
}

TEST(Checkpoint, AStateThatMakesNoSenseIsRefusedByPlace) {
  const auto refused = [](const std::string& from, const std::string& to) {
    const Written w;
    w.edit("state.json", from, to);
    w.reseal();
    return w.refusal();
  };
  EXPECT_NE(refused("\"index\": 9", "\"index\": 10").find("a place among 10 examples"),
            std::string::npos);
  EXPECT_NE(refused("\"18446744073709551615\"", "\"18446744073709551616\"").find("64 bits"),
            std::string::npos);
  EXPECT_NE(refused("\"18446744073709551615\"", "12").find("\"seed\""), std::string::npos);
  EXPECT_NE(refused("philox4x32-10", "mt19937").find("philox4x32-10"), std::string::npos);
  EXPECT_NE(refused("\"updates\": 1", "\"updates\": 8").find("\"updates\""), std::string::npos);
  EXPECT_NE(refused("\"step\": 7,\n \"world\"", "\"step\": 6,\n \"world\"").find("step"),
            std::string::npos);
}

TEST(Checkpoint, WeightsOfAnotherModelAreRefusedByName) {
  const Written w;
  const Checkpoint c(w.path);
  const auto refused = [&](Toy& toy, OptimizerOptions options = {}) {
    Optimizer optimizer(toy.params, options);
    return error_of<FormatError>([&] { c.restore(toy.params, optimizer); });
  };
  Toy wider({.with_buffer = true, .features = 2, .hidden = 4, .classes = 2});
  EXPECT_EQ(refused(wider), w.file("weights.safetensors") +
                                ": tensor \"h.0.up\": found F32 [3, 2], wanted F32 [4, 2]");
  Toy without({.features = 2, .hidden = 3, .classes = 2});
  EXPECT_EQ(refused(without), w.file("weights.safetensors") +
                                  ": found tensor \"h.0.passes\", which the model does not have");
  Toy same({.with_buffer = true, .features = 2, .hidden = 3, .classes = 2});
  EXPECT_EQ(refused(same, {.kind = OptimizerKind::sgd}),
            w.file("state.json") + ": found the state of adamw, wanted sgd");
}

}  // namespace
}  // namespace jogak
