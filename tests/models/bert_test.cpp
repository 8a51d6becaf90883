// BERT against goldens that PyTorch and transformers wrote (tests/goldens/make_bert.py), and what
// its masks and heads promise.
#include "models/encoders/bert.h"

#include <gtest/gtest.h>

#include "models/encoders/distilbert.h"
#include "models/encoders/electra.h"
#include "models/encoders/roberta.h"

#include "autograd/autograd.h"
#include "io/model_files.h"
#include "ops/add.h"
#include "ops/cross_entropy.h"
#include "ops/mul.h"
#include "ops/reduce.h"
#include "tests/models/golden.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/guarded_device.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::expect_golden;
using test::golden_dir;
using test::GoldenWatch;

template <class Net>
struct GoldenOf : test::ModelGolden<Net> {
  using test::ModelGolden<Net>::ModelGolden;
  EncoderInput input() const {
    return {.values = this->get("input_ids"),
            .mask = cast(this->get("attention_mask"), DType::boolean),
            .token_types = this->get("token_type_ids"),
            .positions = this->get("position_ids")};
  }
  const Bert& bert() const { return this->model; }
};
using Golden = GoldenOf<Bert>;

// The loss transformers gives, from the last hidden states.
template <class Net>
Tensor golden_loss(const GoldenOf<Net>& g, const Tensor& hidden, jogak::Run& run) {
  const auto weighted = [&](const Tensor& x, const std::string& name) {
    expect_golden(x, g.get(name), name);
    return sum(x * g.get("weights." + name));
  };
  const BertConfig& config = g.bert().config;
  if (config.head == BertHead::none && !g.model.pooler)
    return weighted(hidden, "last_hidden_state");
  if (config.head == BertHead::none)
    return weighted(hidden, "last_hidden_state") +
           weighted(g.model.pooled(hidden), "pooler_output");
  const Tensor logits = g.model.logits(hidden, run), labels = g.get("labels");
  expect_golden(logits, g.get("logits"), "logits");
  if (config.head == BertHead::sequence) return label_loss(logits, labels, config.labels);
  const Tensor loss = cross_entropy(logits, labels);
  if (config.head != BertHead::pretraining) return loss;
  const Tensor next = g.model.next_sentence(hidden);
  expect_golden(next, g.get("next_sentence"), "next_sentence");
  return loss + cross_entropy(next, g.get("next_sentence_label"));
}

template <class Net>
void expect_forward(const std::string& name) {
  GoldenOf<Net> g(name);
  jogak::Run run;
  GoldenWatch watch(g.golden);
  run.probe = &watch;
  const Tensor hidden = g.model.hidden(g.input(), run);
  EXPECT_EQ(watch.seen, 2 * g.model.config.layers + 1);
  const Tensor loss = golden_loss(g, hidden, run);
  expect_golden(loss, g.get("loss"), "loss");
  test::expect_golden_gradients(g.store, gradients(loss, g.store.trained()), g.golden);
}

std::vector<std::string> kin() {
  std::vector<std::string> out;
  for (const char* type : {"bert", "roberta", "xlm-roberta", "distilbert", "electra"})
    for (const std::string& name : test::goldens_of(type)) {
      const std::string head = test::config_json(name).find("architectures")->items()[0].text();
      // Those have their losses in encoder_test.cpp.
      if (!head.ends_with("QuestionAnswering") && head != "ElectraForPreTraining")
        out.push_back(name);
    }
  return out;
}

class BertGoldens : public testing::TestWithParam<std::string> {};

TEST_P(BertGoldens, LogitsLossGradientsAndWhatHappensInside) {
  const std::string type = test::config_json(GetParam()).find("model_type")->text();
  if (type == "bert") expect_forward<Bert>(GetParam());
  if (type == "roberta") expect_forward<Roberta>(GetParam());
  if (type == "distilbert") expect_forward<DistilBert>(GetParam());
  if (type == "electra") expect_forward<Electra>(GetParam());
  if (type == "xlm-roberta") expect_forward<XlmRoberta>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, BertGoldens, testing::ValuesIn(kin()),
                         [](const auto& one) { return test::test_name(one.param); });

TEST(Bert, WhatWasReadIsWrittenBackByteForByte) {
  for (const char* name : {"bert-a", "bert-c", "bert-d", "bert-g"}) {
    Golden g(name);
    const std::string path = testing::TempDir() + "/bert-again.safetensors";
    save_safetensors(path, to_file(g.store), {{"format", "pt"}});
    EXPECT_EQ(read_file(path), read_file(golden_dir(name) + "/model.safetensors")) << name;
  }
}

// Old names are read; what is written has today's, and is the same model.
TEST(Bert, OldNamesAndBareNamesComeBackAsTodays) {
  for (const char* name : {"bert-b", "bert-h"}) {
    Golden g(name);
    const TempDir dir;
    save_safetensors(dir.path() + "/model.safetensors", to_file(g.store));
    const ModelFiles files(dir.path());
    EXPECT_TRUE(files.has("bert.embeddings.LayerNorm.weight"));
    ParamStore store = ParamStore::from_files(files, family_named("bert").names);
    const Bert again(Params(store), g.model.config);
    store.finish();
    jogak::Run run;
    EXPECT_EQ(to_host<float>(again.pooled(again.hidden(g.input(), run))),
              to_host<float>(g.model.pooled(g.model.hidden(g.input(), run))));
  }
}

TEST(Bert, WithoutArchitecturesTheTensorsTellTheHead) {
  const auto head = [](const char* name) {
    return Golden(name, test::config_json(name).set("architectures", Json())).model.config.head;
  };
  EXPECT_EQ(head("bert-a"), BertHead::masked);
  EXPECT_EQ(head("bert-d"), BertHead::sequence);
  EXPECT_EQ(head("bert-g"), BertHead::tokens);
  EXPECT_EQ(head("bert-h"), BertHead::none);
}

// As transformers: a head that the file has twice with different numbers is not tied.
TEST(Bert, ATieThatTheFileBreaksDoesNotHold) {
  const SafetensorsFile whole(golden_dir("bert-a") + "/model.safetensors");
  const TempDir dir;
  NamedTensors tensors;
  for (const std::string& name : whole.names()) tensors.emplace_back(name, whole.get(name));
  tensors.emplace_back("cls.predictions.decoder.weight", randn({61, 24}, Rng(5)));
  save_safetensors(dir.path() + "/model.safetensors", tensors);
  const ModelFiles files(dir.path());
  ParamStore store = ParamStore::from_files(files, family_named("bert").names);
  const Bert model(Params(store),
                   read_config<BertConfig>(test::config_json("bert-a"), "config.json"));
  store.finish();
  EXPECT_EQ(to_host<float>(model.predictions->decoder.dense),
            to_host<float>(files.get("cls.predictions.decoder.weight")));
  Golden tied("bert-a");
  EXPECT_EQ(tied.model.predictions->decoder.dense.raw(),
            tied.model.embeddings.word_embeddings.raw());
}

std::vector<float> row_bits(const Tensor& x, int64_t b, int64_t t) {
  const auto all = to_host<float>(x);
  const int64_t C = x.dim(2), at = (b * x.dim(1) + t) * C;
  return {all.begin() + at, all.begin() + at + C};
}

TEST(BertMasks, APaddedTokenChangesNoOtherVector) {
  Golden g("bert-a");
  const NoGrad quiet;
  jogak::Run run;
  EncoderInput input = g.input();
  const Tensor wanted = g.model.hidden(input, run);
  auto ids = to_host<int64_t>(input.values);
  const auto real = to_host<int64_t>(g.get("attention_mask"));
  for (size_t i = 0; i < ids.size(); ++i)
    if (real[i] == 0) ids[i] = 3 + static_cast<int64_t>(i % 7);
  input.values = from_values(ids, input.values.shape());
  const Tensor got = g.model.hidden(input, run);
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t t = 0; t < input.values.dim(1); ++t)
      if (real[static_cast<size_t>(b * input.values.dim(1) + t)] != 0) {
        EXPECT_EQ(row_bits(got, b, t), row_bits(wanted, b, t));
      }
}

TEST(BertMasks, PaddingBesideALongerTextChangesNoBit) {
  Golden g("bert-a");
  const NoGrad quiet;
  jogak::Run run;
  const EncoderInput input = g.input();
  const Tensor together = g.model.hidden(input, run);
  const int64_t T = input.values.dim(1), length = 6;  // row 1
  const auto row = [&](const Tensor& x) {
    const auto all = to_host<int64_t>(x);
    return from_values(std::vector<int64_t>(all.begin() + T, all.begin() + T + length),
                       {1, length});
  };
  const EncoderInput own{.values = row(input.values), .token_types = row(input.token_types)};
  const Tensor alone = g.model.hidden(own, run);
  for (int64_t t = 0; t < length; ++t) EXPECT_EQ(row_bits(alone, 0, t), row_bits(together, 1, t));
}

TEST(Bert, TokenTypesAndPositionsHaveTheDefaultsOfTransformers) {
  Golden g("bert-a");
  const NoGrad quiet;
  jogak::Run run;
  EncoderInput plain = g.input(), said = plain;
  plain.token_types = Tensor();
  said.token_types = zeros(plain.values.shape(), DType::i64);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < plain.values.count(); ++i) places.push_back(i % plain.values.dim(1));
  said.positions = from_values(places, plain.values.shape());
  EXPECT_EQ(to_host<float>(g.model.hidden(plain, run)), to_host<float>(g.model.hidden(said, run)));
}

TEST(BertEncoder, WantedPlacesAreRowsOfTheWhole) {
  Golden g("bert-a");
  const NoGrad quiet;
  jogak::Run run;
  const EncoderModel model = encoder_of(std::shared_ptr<const Bert>(&g.model, [](const Bert*) {}));
  EXPECT_EQ(model.task, EncoderTask::fill);
  EXPECT_FALSE(model.pooled);
  EncoderInput input = g.input();
  const Tensor all = model.predict(input, run);
  input.wanted = from_values(std::vector<int64_t>{4, 13, 30}, {3});
  const Tensor some = model.predict(input, run);
  ASSERT_EQ(some.shape(), (Shape{3, 61}));
  const auto got = to_host<float>(some);
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::vector<float>(got.begin() + i * 61, got.begin() + (i + 1) * 61),
              row_bits(all, std::vector<int64_t>{0, 1, 2}[i], std::vector<int64_t>{4, 0, 4}[i]));
}

TEST(BertEncoder, LossesAreSummedOverWhatCounts) {
  const std::pair<const char*, double> counted[] = {
      {"bert-d", 3}, {"bert-e", 12}, {"bert-f", 3}, {"bert-g", 28}};
  for (const auto& [name, count] : counted) {
    Golden g(name);
    jogak::Run run;
    const EncoderModel model =
        encoder_of(std::shared_ptr<const Bert>(&g.model, [](const Bert*) {}));
    const Tensor labels = g.get("labels");
    const Tensor loss =
        model.loss(model.predict(g.input(), run), labels, {.reduction = Reduction::sum});
    EXPECT_NEAR(item(loss) / count / item(g.get("loss")), 1, 1e-5) << name;
  }
}

TEST(Bert, ATrainingPassTouchesNoDeviceMemoryFromTheHost) {
  test::GuardedDevice device;
  const BertConfig config{.vocab = 31,
                          .context = 12,
                          .width = 16,
                          .layers = 2,
                          .heads = 4,
                          .inner = 20,
                          .head = BertHead::pretraining};
  std::vector<std::vector<Tensor>> results;
  for (Device* place : {&cpu_device(), static_cast<Device*>(&device)}) {
    ParamStore store = ParamStore::fresh(3, DType::f32, *place);
    const Bert model(Params(store), config);
    const Tensor ids =
        from_values(std::vector<int64_t>{1, 5, 30, 2, 2, 7, 9, 11, 0, 3}, {2, 5}, *place);
    device.synchronize();
    const int64_t before = device.synchronizations();
    jogak::Run run;
    run.training = true;  // with dropout
    const Tensor hidden = model.hidden({.values = ids}, run);
    const Tensor loss = sum(model.logits(hidden, run)) + sum(model.next_sentence(hidden));
    results.push_back(gradients(loss, store.trained()));
    EXPECT_EQ(device.synchronizations(), before);
  }
  for (size_t i = 0; i < results[0].size(); ++i)
    ASSERT_EQ(to_host<float>(results[0][i]), to_host<float>(results[1][i])) << "tensor " << i;
}

TEST(BertErrors, WhatIsNotReadIsNamed) {
  const auto with = [](const char* key, Json value) {
    return error_of<FormatError>([&] {
      read_config<BertConfig>(test::config_json("bert-a").set(key, std::move(value)),
                              "config.json");
    });
  };
  EXPECT_NE(with("is_decoder", true).find("\"is_decoder\": found true, wanted false"),
            std::string::npos);
  const std::string other = with("architectures", Json::array({"BertForMultipleChoice"}));
  EXPECT_NE(other.find("found \"BertForMultipleChoice\", wanted one of BertModel, "),
            std::string::npos)
      << other;
  EXPECT_NE(with("num_attention_heads", 5).find("wanted a divisor of hidden_size 24"),
            std::string::npos);
  EXPECT_NE(with("hidden_act", "mish").find("\"hidden_act\": found \"mish\""), std::string::npos);
  EXPECT_NE(with("position_embedding_type", "relative_key").find("wanted \"absolute\""),
            std::string::npos);
  EXPECT_NE(with("num_labels", 131073).find("an integer from 1 to 131072"), std::string::npos);
  EXPECT_NE(with("id2label", parse_json(R"({"0": "a", "2": "b"})", "x")).find("ids 0, 1, 2, .."),
            std::string::npos);
  EXPECT_NE(with("problem_type", "both").find("wanted single_label_classification, multi"),
            std::string::npos);
  EXPECT_NE(with("pad_token_id", 61).find("\"pad_token_id\": found 61"), std::string::npos);
}

TEST(BertErrors, ALongerTextThanThePositionsIsRefused) {
  Golden g("bert-a");
  jogak::Run run;
  expect_error<ShapeError>(
      [&] {
        g.model.hidden({.values = zeros({1, 18}, DType::i64)}, run);
      },
      "bert: 18 tokens, but the model has positions for 17");
  expect_error<UsageError>(
      [&] {
        g.model.pooled(zeros({1, 2, 24}));
      },
      "bert: this model has no pooler");
}

}  // namespace
}  // namespace jogak
