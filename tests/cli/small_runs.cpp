#include "tests/cli/small_runs.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "train/checkpoint.h"

namespace jogak {
namespace {

std::string recipe(const std::string& model, const std::string& data, const std::string& train) {
  return "[model]\npreset = \"tiny\"\n" + model + "[data]\n" + data +
         text_of("[train]\nsteps = ", kSmallSteps, "\n") +
         "lr = 3e-3\nwarmup = 2\neval_every = 3\ncheckpoint_every = 1\nkeep = 2\nlog_every = 2\n" +
         train;
}

std::string timeless_metrics(const std::string& run) {
  const std::string path = join_path(run, "metrics.jsonl"), text = read_file(path);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const Json line = parse_json(text.substr(at, end - at), path);
    Json kept = Json::object();
    for (const auto& [key, value] : line.members())
      if (!key.ends_with("_per_s")) kept.set(key, value);
    out += kept.dump() + "\n";
    at = end + 1;
  }
  return out;
}

std::string checkpoint_of(const std::string& run, int64_t step) {
  std::string digits = std::to_string(step);
  digits.insert(0, 8 - std::min<size_t>(8, digits.size()), '0');
  return join_path(run, "checkpoints/step-" + digits);
}

}  // namespace

std::vector<SmallRun> small_runs(int64_t width) {
  // Under the names that a family's configuration has.
  const auto widths = [&](const char* layers, const char* size, const char* heads) {
    return text_of(layers, " = 1\n", size, " = ", width, "\n", heads, " = 2\n");
  };
  const std::string tokens = "[tokenizer]\ntype = \"char\"\n";
  const std::string sort = "make = \"sort\"\ncount = 60\nvalid_count = 8\n";
  const std::string common = widths("num_hidden_layers", "hidden_size", "num_attention_heads");
  const std::string four = "batch = 4\n";
  return {
      {"gpt2", recipe("family = \"gpt2\"\nn_positions = 40\n" +
                          widths("n_layer", "n_embd", "n_head") + tokens,
                      sort, four + "accumulate = 2\n")},
      {"llama", recipe("family = \"llama\"\nmax_position_embeddings = 40\n" +
                           text_of("head_dim = ", width / 2, "\n") + common + tokens,
                       sort, four)},
      {"bert",
       recipe("family = \"bert\"\nmax_position_embeddings = 64\n" + common + tokens,
              "kind = \"masked-lines\"\nmake = \"dates\"\ncount = 60\nvalid_count = 8\n", four)},
      {"marian", recipe("family = \"seq2seq\"\nencoder_layers = 1\ndecoder_layers = 1\n" +
                            text_of("d_model = ", width, "\n") + tokens,
                        "kind = \"pairs\"\nmake = \"dates\"\ncount = 60\nvalid_count = 8\n",
                        "batch_tokens = 128\noptimizer = \"adam\"\n")},
      {"vit", recipe("family = \"vit\"\n" + common,
                     "kind = \"images\"\nmake = \"shapes\"\ncount = 30\nvalid_count = 6\n", four)},
      {"patchtst", recipe("family = \"patchtst\"\ncontext_length = 48\nprediction_length = 12\n" +
                              text_of("d_model = ", width, "\n"),
                          "kind = \"series\"\nmake = \"series\"\ncount = 300\n",
                          four + "optimizer = \"sgd\"\nmomentum = 0.9\n")},
      {"falcon",
       recipe("family = \"falcon\"\nmax_position_embeddings = 40\n" + common + tokens, sort, four)},
  };
}

std::vector<int64_t> committed_steps(const std::string& run) {
  std::vector<int64_t> steps;
  for (const std::string& name : list_directory(join_path(run, "checkpoints")))
    if (name.starts_with("step-")) steps.push_back(std::stoll(name.substr(5)));
  return steps;
}

void load_checkpoints(const std::string& run) {
  for (const int64_t step : committed_steps(run)) {
    const Checkpoint checkpoint(checkpoint_of(run, step));
    ensure<Error>(checkpoint.state().step == step, run, ": found step ", checkpoint.state().step,
                  ", wanted ", step);
  }
}

std::string outcome(const std::string& run) {
  const std::vector<int64_t> steps = committed_steps(run);
  ensure<Error>(!steps.empty(), run, ": no checkpoint");
  const std::string newest = checkpoint_of(run, steps.back());
  std::string out;
  for (const std::string file : {"weights.safetensors", "optimizer.safetensors"})
    out += sha256_file(join_path(newest, file)) + " " + file + "\n";
  return out + sha256_file(join_path(run, "model.safetensors")) + " model.safetensors\n" +
         read_file(join_path(newest, "state.json")) + timeless_metrics(run);
}

}  // namespace jogak
