// Commands that work with a model that is not small, or wait for somebody to write a line, end
// within a second when they are told to; and there is no other command that could take longer than
// that.
#include <sys/resource.h>

#include <cstring>
#include <set>

#include "base/json.h"
#include "io/safetensors.h"
#include "tests/cli/stop.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

constexpr int64_t kWidth = 768, kLayers = 12;

struct StopModel : Stop {
  const std::string gpt = dir / "gpt";

  void SetUp() override {
    write_file(dir / "a.txt", "the cat sat on the mat and the dog sat on the cat\n");
    run({"tokenizer", "train", "--type", "char", "--special", "[MASK]", "--files", dir / "a.txt",
         "--out", dir / "tok"});
  }
  static void run(const Arguments& arguments) {
    const Result made = jogak(arguments);
    ASSERT_EQ(made.code, 0) << made.err;
  }
  void make_gpt() {
    run({"new", gpt, "--tokenizer", dir / "tok", "--set", text_of("n_embd=", kWidth), "--set",
         "n_head=12", "--set", text_of("n_layer=", kLayers), "--set", "n_positions=1024"});
  }
};

TEST_F(StopModel, Writes) {
  make_gpt();
  ends({"generate", gpt, "-p", "the", "-n", "900"}, SIGTERM);
  ends({"quantize", gpt, dir / "small", "--data", dir / "a.txt"}, SIGINT);
}

TEST_F(StopModel, IsLookedAt) {
  make_gpt();
  std::string text;
  for (int i = 0; i < 20; ++i) text += "the cat sat on the mat and the dog sat on the cat ";
  ends({"inspect", "gradients", gpt, "--text", text.substr(0, 900)}, SIGTERM);
  ends({"ablate", gpt, "--text", text.substr(0, 200), "--each", "head"}, SIGINT);
  ends({"info", gpt, "--parity", dir / "parity.json"}, SIGTERM, "", Done::may);
  save_safetensors(dir / "in.safetensors", {{"input_ids", full({4, 512}, 3, DType::i64)}});
  ends({"forward", gpt, "--input", dir / "in.safetensors", "--output", dir / "out.safetensors"},
       SIGINT);
}

TEST_F(StopModel, TakesAdapters) {
  make_gpt();
  const std::string lora = dir / "lora";
  std::filesystem::create_directory(lora);
  write_file(lora + "/adapter_config.json",
             "{\"peft_type\": \"LORA\", \"base_model_name_or_path\": " + json_quote(gpt) +
                 ", \"r\": 1, \"lora_alpha\": 1, \"fan_in_fan_out\": true, \"target_modules\": "
                 "[\"c_attn\"]}");
  NamedTensors factors;
  for (int64_t i = 0; i < kLayers; ++i) {
    const std::string at = text_of("base_model.model.transformer.h.", i, ".attn.c_attn.lora_");
    factors.emplace_back(at + "A.weight", full({1, kWidth}, 0.5));
    factors.emplace_back(at + "B.weight", full({3 * kWidth, 1}, 0.5));
  }
  save_safetensors(lora + "/adapter_model.safetensors", factors);
  ends({"merge", lora, "--out", dir / "merged"}, SIGTERM);
}

// The golden with feed-forward layers of four million, of which nobody writes the zeros.
std::string with_wide_layers(std::string file) {
  constexpr uint64_t kWide = uint64_t{1} << 22, kBytes = 32 * kWide * sizeof(float);
  const auto put = [&](size_t at, auto value) { std::memcpy(&file[at], &value, sizeof value); };
  const std::string key = "llama.feed_forward_length";
  put(file.find(key) + key.size() + 4, static_cast<uint32_t>(kWide));
  uint64_t end = (file.size() + 255) / 256 * 256;  // behind every other tensor
  for (const char* name : {"ffn_gate", "ffn_up", "ffn_down"}) {
    const std::string full_name = text_of("blk.0.", name, ".weight");
    const size_t at = file.find(full_name) + full_name.size() + 4;
    put(at + (std::string(name) == "ffn_down" ? 0 : 8), kWide);
    put(at + 20, end);
    end += kBytes;
  }
  return file;
}

TEST_F(StopModel, IsConverted) {
  const std::string path = dir / "wide.gguf";
  write_file(path, with_wide_layers(read_file(source_path("tests/goldens/gguf/llama.gguf"))));
  std::filesystem::resize_file(path, uint64_t{3} << 30);  // of which next to nothing is on the disk
  ends({"convert", path, dir / "wide"}, SIGTERM);
}

TEST_F(StopModel, WaitsForALine) {
  const std::string fills = dir / "fills", labels = dir / "labels", scores = dir / "scores",
                    answers = dir / "answers", pairs = dir / "pairs", small = dir / "small";
  const auto encoder = [&](const std::string& out, const std::string& kind, const char* more) {
    run({"new", out, "--family", "bert", "--preset", "tiny", "--tokenizer", dir / "tok", "--set",
         "architectures=[\"BertFor" + kind + "\"]", "--set", more});
  };
  encoder(fills, "MaskedLM", "num_labels=2");
  encoder(labels, "SequenceClassification", "num_labels=2");
  encoder(scores, "SequenceClassification", "num_labels=1");
  run({"tokenizer", "train", "--type", "wordpiece", "--vocab-size", "60", "--files", dir / "a.txt",
       "--out", dir / "pieces"});
  run({"new", answers, "--family", "bert", "--preset", "tiny", "--tokenizer", dir / "pieces",
       "--set", "architectures=[\"BertForQuestionAnswering\"]"});
  run({"new", pairs, "--family", "seq2seq", "--preset", "tiny", "--tokenizer", dir / "tok"});
  run({"new", small, "--preset", "tiny", "--tokenizer", dir / "tok"});
  write_file(small + "/chat_template.jinja", "{% for m in messages %}{{ m.content }}{% endfor %}");
  ends({"fill", fills}, SIGTERM, "the [MASK]\n");
  ends({"classify", labels}, SIGINT, "the cat\n");
  ends({"rank", scores, "--query", "the"}, SIGTERM, "the cat\n");
  ends({"answer", answers, "--question", "the"}, SIGINT, "the cat\n");
  ends({"translate", pairs}, SIGTERM, "the cat\n");
  ends({"generate", small, "-n", "2"}, SIGTERM, "the");
  ends({"chat", small, "-n", "2"}, SIGTERM, "the\n");
}

TEST_F(StopModel, IsTrainedByTheDemo) { ends({"demo", "--out", dir / "demo"}, SIGTERM); }

// Processor seconds of the programs that were waited for so far.
double used() {
  rusage all{};
  getrusage(RUSAGE_CHILDREN, &all);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + t.tv_usec * 1e-6;
  };
  return seconds(all.ru_utime) + seconds(all.ru_stime);
}

TEST_F(StopModel, EveryOtherCommandIsQuick) {
  const std::string lab = dir / "lab";
  run({"new", lab, "--family", "lab", "--preset", "base"});
  const std::vector<Arguments> quick = {
      {"explain", "attention", "--level", "math", "--all"},
      {"completion", "man"},
      {"export", lab, dir / "lab.py"},
      {"plan", "--model", "llama", "--gpus", "16384", "--gpu", "h100", "--batch", "16777216"}};
  std::set<std::string> known = {// tried here and in stop_test.cpp; serve in serve_test.cpp
                                 "demo",      "study",    "inspect",   "ablate",   "serve",
                                 "new",       "data",     "tokenizer", "train",    "merge",
                                 "eval",      "chat",     "generate",  "fill",     "answer",
                                 "translate", "classify", "embed",     "rank",     "info",
                                 "forecast",  "bench",    "convert",   "quantize", "forward"};
  for (const Arguments& one : quick) {
    const double before = used();
    run(one);
    EXPECT_LT(used() - before, 1.0) << one[0];
    known.insert(one[0]);
  }
  std::set<std::string> all;
  const std::string help = jogak({"help"}).out;
  for (size_t at = help.find("\n  "); at != std::string::npos; at = help.find("\n  ", at + 1)) {
    const size_t end = help.find(' ', at + 3);
    if (end > at + 3 && end != std::string::npos) all.insert(help.substr(at + 3, end - at - 3));
  }
  EXPECT_EQ(all, known);
}

}  // namespace
}  // namespace jogak
