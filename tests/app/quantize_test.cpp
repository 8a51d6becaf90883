// Quantised directories: those of compressed-tensors give what transformers gives, ours of every
// family open and answer nearly as before, and what is malformed is refused by name.
#include "app/tools/quantize.h"

#include <cmath>

#include "app/measure/parity.h"
#include "app/models/model.h"
#include "app/use/forward.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "base/json.h"
#include "io/quantized_files.h"
#include "nn/config_keys.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

std::string theirs(const std::string& name) { return test::golden_dir("quantized/" + name); }

Tensor logits_of(const Model& model, const NamedTensors& inputs) {
  const NoGrad quiet;
  Run run;
  return forward(model, ForwardInputs(inputs), run).named[0].second;
}

class Theirs : public testing::TestWithParam<const char*> {};

TEST_P(Theirs, GiveWhatTransformersGives) {
  const SafetensorsFile golden(join_path(theirs(GetParam()), "golden.safetensors"));
  NamedTensors inputs;
  for (const std::string& name : golden.names())
    if (name != "logits") inputs.emplace_back(name, golden.read(name));
  int64_t small = 0;
  for (const WeightUse use : {WeightUse::as_stored, WeightUse::f32, WeightUse::trained}) {
    const Model model = open_model(theirs(GetParam()), {.use = use});
    const double most = use == WeightUse::as_stored ? 1e-3 : 1e-4;  // values of 16 bits, or floats
    EXPECT_LT(test::relative_distance(logits_of(model, inputs), golden.get("logits")), most);
    for (const Param& p : model.store->all()) small += p.value.dtype() == DType::packed ? 1 : 0;
    EXPECT_GT(small, 0);  // of the first: the others compute with floats
    if (use != WeightUse::as_stored) {
      for (const Param& p : model.store->all()) EXPECT_NE(p.value.dtype(), DType::packed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Directories, Theirs,
                         testing::Values("llama-q4", "llama-q4-zeros", "llama-q8", "bert-q8-zeros",
                                         "bert-q8-packed", "vit-q4"));

// A directory whose files a test changes, tensor by tensor.
struct Changed {
  TempDir dir;
  NamedTensors tensors;
  std::string path = dir / "model";
  explicit Changed(const std::string& from) {
    make_directories(path);
    write_file(join_path(path, "config.json"), read_file(join_path(from, "config.json")));
    const SafetensorsFile file(join_path(from, "model.safetensors"));
    for (const std::string& name : file.names()) tensors.emplace_back(name, file.read(name));
  }
  Tensor& at(const std::string& name) {
    for (auto& [own, value] : tensors)
      if (own == name) return value;
    fail<Error>("no ", name);
  }
  std::string complaint() {
    save_safetensors(join_path(path, "model.safetensors"), tensors, {{"format", "pt"}});
    try {
      open_model(path, {.use = WeightUse::as_stored});
    } catch (const FormatError& e) {
      return e.what();
    }
    return "";
  }
};

constexpr char kLayer[] = "model.layers.1.mlp.down_proj.weight";

TEST(QuantizedFiles, BadScalesAreRefusedByTensor) {
  for (const float bad : {0.0f, -0.5f, NAN, INFINITY}) {
    Changed model(theirs("llama-q4"));
    model.at(std::string(kLayer) + "_scale").data<float>()[7] = bad;
    const std::string what = model.complaint();
    EXPECT_NE(what.find("model.layers.1.mlp.down_proj.weight_scale: found a scale of"),
              std::string::npos)
        << what;
    EXPECT_NE(what.find("wanted a number above 0"), std::string::npos) << what;
  }
}

TEST(QuantizedFiles, ShapesThatDoNotFitAreRefused) {
  const std::string scale = std::string(kLayer) + "_scale", shape = std::string(kLayer) + "_shape";
  const auto refused = [&](const char* what, const std::function<void(Changed&)>& change) {
    Changed model(theirs("llama-q4"));
    change(model);
    const std::string got = model.complaint();
    EXPECT_NE(got.find(what), std::string::npos) << got;
    EXPECT_EQ(got.find('\n'), std::string::npos);
  };
  refused("3 groups, which do not divide 128 columns", [&](Changed& m) {
    m.at(scale) = full({64, 3}, 1);
  });
  refused("found scales of shape [63, 4], wanted [64, groups]", [&](Changed& m) {
    m.at(scale) = full({63, 4}, 1);
  });
  refused("found 64 x 4611686018427387904, the packed words are [64, 16]", [&](Changed& m) {
    m.at(shape) = from_values(std::vector<int64_t>{64, int64_t{1} << 62}, {2});
  });
  refused("found 64 x -128", [&](Changed& m) {
    m.at(shape) = from_values(std::vector<int64_t>{64, -128}, {2});
  });
  refused("16 words a row for 90 columns, wanted 12 of 4 bits or 23 of 8 bits", [&](Changed& m) {
    m.at(shape) = from_values(std::vector<int64_t>{64, 90}, {2});
  });
  refused("wanted I64 [2]",
          [&](Changed& m) { m.at(shape) = from_values(std::vector<int64_t>{64}, {1}); });
  refused("found I64, wanted F32, BF16 or F16", [&](Changed& m) {
    m.at(scale) = zeros({64, 4}, DType::i64);
  });
  refused("found no model.layers.1.mlp.down_proj.weight_scale beside it", [&](Changed& m) {
    std::erase_if(m.tensors, [&](const auto& one) { return one.first == scale; });
  });
  refused("the file has [64, 120], the model wants [64, 128]", [&](Changed& m) {
    m.at(shape) = from_values(std::vector<int64_t>{64, 120}, {2});
    m.at(std::string(kLayer) + "_packed") = zeros({64, 15}, DType::i32);
  });
}

TEST(QuantizedFiles, ZerosOutsideTheirBitsAreRefused) {
  Changed model(theirs("bert-q8-zeros"));
  Tensor& zero = model.at("bert.encoder.layer.0.output.dense.weight_zero_point");
  zero = zeros({zero.dim(0) + 1, 1}, DType::i8);
  EXPECT_NE(model.complaint().find("wanted I8 [64, 1]"), std::string::npos);
}

class Shrunk : public testing::TestWithParam<std::string> {
 protected:
  TempDir dir;
  const std::string from = test::golden_dir(GetParam()), out = dir / "small";
};

// One directory of each kind of model; the last error is what rounding to so few bits may change.
TEST_P(Shrunk, ModelsAnswerNearlyAsBefore) {
  for (const auto& [type, most] : {std::pair<const char*, double>{"q8", 0.05}, {"q4", 0.6}}) {
    const QuantizeReport report =
        quantize({.directory = from, .out = out, .type = type, .group = 16, .overwrite = true});
    EXPECT_LT(report.bytes_after, report.bytes_before) << type;
    EXPECT_GT(report.divergence.error, 0) << type;
    EXPECT_LT(report.divergence.error, most) << type;
    ASSERT_FALSE(report.layers.empty());
    EXPECT_LT(report.layers[0].error, type[1] == '8' ? 0.02 : 0.25) << report.layers[0].name;
    // What is computed in small integers is what the same numbers give as floats.
    const Model small = open_model(out, {.use = WeightUse::as_stored});
    const Model floats = open_model(out, {.use = WeightUse::f32});
    const NamedTensors inputs = parity_inputs(small);
    EXPECT_LT(test::relative_distance(logits_of(small, inputs), logits_of(floats, inputs)), 1e-3);
  }
}

// Values in 8 bits are the user's choice, kept in config.json, and dearer than 16 by what is told.
TEST_P(Shrunk, ValuesOf8BitsAreAskedForByTheDirectory) {
  const QuantizeReport report = quantize({.directory = from, .out = out, .group = 16, .values = 8});
  ASSERT_TRUE(report.finer.has_value());
  EXPECT_GT(report.finer->error, 0);
  EXPECT_LT(report.divergence.error, 0.1);
  EXPECT_EQ(value_bits(read_json_file(join_path(out, "config.json"))), 8);
  const Model small = open_model(out, {.use = WeightUse::as_stored});
  const Model finer = open_model(out, {.use = WeightUse::as_stored, .value_bits = 16});
  const Model floats = open_model(out, {.use = WeightUse::f32});
  const NamedTensors inputs = parity_inputs(small);
  const double off = test::relative_distance(logits_of(small, inputs), logits_of(floats, inputs));
  EXPECT_GT(off, test::relative_distance(logits_of(finer, inputs), logits_of(floats, inputs)));
  EXPECT_LT(off, 0.1);
}

TEST_P(Shrunk, TwiceIsRefused) {
  quantize({.directory = from, .out = out});
  const std::string what =
      error_of<FormatError>([&] { quantize({.directory = out, .out = dir / "again"}); });
  EXPECT_NE(what.find("is in small integers already, wanted a model in floats"), std::string::npos);
}

std::vector<std::string> one_of_each() {
  std::vector<std::string> out = test::all_goldens();
  std::erase_if(out, [](const std::string& name) { return !name.ends_with("-a"); });
  return out;
}

INSTANTIATE_TEST_SUITE_P(Families, Shrunk, testing::ValuesIn(one_of_each()),
                         [](const auto& at) { return test::test_name(at.param); });

// A translator scores words by the table that it looks them up in.
TEST(Quantize, ATranslatorsTableIsInSmallIntegers) {
  TempDir dir;
  const std::string out = dir / "small";
  quantize({.directory = test::golden_dir("marian-a"), .out = out});
  const Model model = open_model(out, {.use = WeightUse::as_stored});
  const Param* const table = model.store->find("shared.weight");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->value.dtype(), DType::packed);
}

TEST(Quantize, WhatItWritesIsAskedForByName) {
  TempDir dir;
  expect_error<UsageError>(
      [&] { quantize({.directory = test::golden_dir("gpt2-a"), .out = dir / "x", .type = "q5"}); },
      "type: found q5, wanted q8 or q4");
  expect_error<UsageError>(
      [&] { quantize({.directory = test::golden_dir("gpt2-a"), .out = dir / "x", .values = 4}); },
      "values: found 4, wanted 16 or 8");
}

// What others ask of inputs in another way is not done: their answers are the finer ones.
TEST(Quantize, ValuesAre16BitsUnlessGroupsOfColumnsAreAskedFor) {
  const auto asked = [](const std::string& values) {
    return value_bits(parse_json(R"({"quantization_config":{"config_groups":{"group_0":{)"
                                 R"("input_activations":)" +
                                     values + "}}}}",
                                 "config"));
  };
  const std::string ours = R"({"num_bits":8,"type":"int","dynamic":true,"strategy":"group"})";
  EXPECT_EQ(asked(ours), 8);
  EXPECT_EQ(asked("null"), 16);
  EXPECT_EQ(asked(R"({"num_bits":8,"type":"int","dynamic":true,"strategy":"token"})"), 16);
  EXPECT_EQ(asked(R"({"num_bits":8,"type":"float","dynamic":true,"strategy":"group"})"), 16);
  EXPECT_EQ(value_bits(parse_json("{}", "config")), 16);
  EXPECT_EQ(value_bits(parse_json(R"({"quantization_config":{"config_groups":[1]}})", "config")),
            16);
}

}  // namespace
}  // namespace jogak
