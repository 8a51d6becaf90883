// A small model directory cut short at any byte, and with any one bit flipped: refused by an error
// that names a file of it, or it runs within its bounds.
//
// JOGAK_DAMAGE_STRIDE=1 takes every cut and bit; scripts/check-damage.sh does.
#include <cstdlib>
#include <filesystem>

#include "app/models/model.h"
#include "app/tools/new_model.h"
#include "app/use/generator.h"
#include "base/file.h"
#include "io/model_files.h"
#include "tensor/device.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

constexpr char kTokenizer[] =
    R"({"added_tokens":[{"id":4,"content":"<e>","special":true}],)"
    R"("normalizer":{"type":"NFC"},"pre_tokenizer":{"type":"Whitespace"},)"
    R"("model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"\uac00":3},"merges":["a b"]},)"
    R"("decoder":{"type":"Fuse"}})";

struct Outcome {
  int refused = 0, ran = 0;
};

class Damage : public testing::TestWithParam<const char*> {
 protected:
  TempDir dir;
  std::string model = dir / "m";
  Outcome outcome;

  void SetUp() override {
    const std::string family = GetParam();
    std::vector<std::string> settings = {"vocab_size=5", "eos_token_id=4"};
    if (family == "gpt2")
      for (const char* s : {"n_layer=1", "n_embd=2", "n_head=1", "n_positions=8", "n_inner=2"})
        settings.emplace_back(s);
    else
      for (const char* s : {"num_hidden_layers=1", "hidden_size=2", "num_attention_heads=1",
                            "num_key_value_heads=1", "max_position_embeddings=8",
                            "intermediate_size=2", R"(rope_parameters={"rope_type":"llama3",
                            "rope_theta":100,"factor":2,"low_freq_factor":1,"high_freq_factor":4,
                            "original_max_position_embeddings":4})"})
        settings.emplace_back(s);
    make_new_model({.directory = model, .family = family, .settings = settings});
    NamedTensors tensors = to_file(*open_model(model).store);
    save_model_files(model, tensors, {{"format", "pt"}}, 100);  // bytes: a few shards
    write_file(model + "/tokenizer.json", kTokenizer);
    write_file(
        model + "/tokenizer_config.json",
        R"({"eos_token":"<e>","chat_template":"{% for m in messages %}{{ m }}{% endfor %}"})");
  }

  void attempt(const std::string& file, const std::string& bytes) {
    test::write_plain(file, bytes);
    cpu_device().allocator().reset_peak();
    const size_t before = cpu_device().allocator().stats().live_bytes;
    try {
      Generator(model).generate("ab가", {.settings = {.max_new_tokens = 3, .do_sample = false}});
      ++outcome.ran;
    } catch (const FormatError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(model)) << error.what();
      ++outcome.refused;
    } catch (const MissingError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(model)) << error.what();
      ++outcome.refused;
    } catch (const UsageError&) {  // the prompt no longer fits, or is empty
      ++outcome.refused;
    }
    EXPECT_LE(cpu_device().allocator().stats().peak_bytes - before, size_t{64} << 20);
  }
};

TEST_P(Damage, RefusedOrWithinBounds) {
  const char* given = std::getenv("JOGAK_DAMAGE_STRIDE");
  const size_t stride = given ? std::strtoull(given, nullptr, 10) : 29;
  ASSERT_GT(stride, 0u);
  size_t total = 0, begun = 0;
  for (const std::string& name : list_directory(model)) {
    SCOPED_TRACE(name);
    const std::string file = join_path(model, name), good = read_file(file);
    total += good.size();
    for (size_t size = begun++ % stride; size < good.size(); size += stride) {
      SCOPED_TRACE(text_of("cut to ", size));
      attempt(file, good.substr(0, size));
      if (HasFailure()) return;
    }
    for (size_t bit = begun++ % stride; bit < 8 * good.size(); bit += stride) {
      SCOPED_TRACE(text_of("bit ", bit));
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
      attempt(file, bad);
      if (HasFailure()) return;
    }
    const Outcome before = outcome;
    attempt(file, good);
    ASSERT_EQ(outcome.ran, before.ran + 1) << "the whole directory runs";
  }
  EXPECT_LT(total, 8192u);
  EXPECT_GT(outcome.refused, outcome.ran / 4);
  RecordProperty("bytes", static_cast<int>(total));
  RecordProperty("refused", outcome.refused);
  RecordProperty("ran", outcome.ran);
  std::printf("%s: %zu bytes, %d inputs refused, %d ran\n", GetParam(), total, outcome.refused,
              outcome.ran);
}

INSTANTIATE_TEST_SUITE_P(Families, Damage, testing::Values("gpt2", "llama"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace jogak
