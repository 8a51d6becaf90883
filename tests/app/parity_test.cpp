// Certificates of every family: what they hold is what the files and the model give.
#include "app/measure/parity.h"

#include <cmath>
#include <sstream>

#include "app/use/forward.h"
#include "base/file.h"
#include "base/hash/hash.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"

namespace jogak {
namespace {

Tensor read_tensor(const Json& json) {
  std::istringstream data(json.find("data")->text());
  std::vector<int64_t> dims;
  for (const Json& d : json.find("shape")->items()) dims.push_back(d.integer());
  const Shape shape(dims);
  if (json.find("dtype")->text() == "i64") {
    std::vector<int64_t> values;
    for (int64_t x; data >> x;) values.push_back(x);
    return from_values(values, shape);
  }
  std::vector<float> values;
  for (std::string x; data >> x;) values.push_back(std::stof(x));
  return from_values(values, shape);
}

class Parity : public testing::TestWithParam<std::string> {};

TEST_P(Parity, TheCertificateIsWhatTheModelGives) {
  const std::string dir = test::golden_dir(GetParam());
  const ParityCertificate made = parity_certificate(dir);
  bool weights = false;
  for (const ParityCertificate::File& file : made.files) {
    weights |= file.name == "model.safetensors";
    EXPECT_EQ(file.sha256, sha256_file(dir + "/" + file.name));
    EXPECT_EQ(file.bytes, static_cast<int64_t>(read_file(dir + "/" + file.name).size()));
  }
  EXPECT_TRUE(weights);
  // What another program reads is the file's text: the digits give the bits.
  const Json json = parse_json(to_json(made).dump(1), "certificate");
  const auto written = [&](const char* part, const std::string& name) {
    return read_tensor(*json.find(part)->find(name));
  };
  NamedTensors inputs;
  for (const auto& [name, value] : made.inputs) inputs.emplace_back(name, written("inputs", name));
  const Model model = open_model(dir);
  jogak::Run run;
  ForwardOutputs again = forward(model, ForwardInputs(inputs), run);
  if (again.loss.defined()) again.named.emplace_back("loss", again.loss);
  ASSERT_EQ(again.named.size(), made.outputs.size());
  for (const auto& [name, value] : again.named) {
    const auto wanted = to_host<float>(value);
    EXPECT_EQ(to_host<float>(written("outputs", name)), wanted) << name;
    for (const float x : wanted) ASSERT_TRUE(std::isfinite(x)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, Parity, testing::ValuesIn(test::all_goldens()),
                         [](const auto& one) { return test::test_name(one.param); });

TEST(ParityFiles, AnotherFileHasAnotherHash) {
  const ParityCertificate one = parity_certificate(test::golden_dir("vit-a"));
  const ParityCertificate other = parity_certificate(test::golden_dir("vit-c"));
  EXPECT_NE(one.files, other.files);
  EXPECT_EQ(to_json(one), to_json(parity_certificate(test::golden_dir("vit-a"))))
      << "the same again";
}

}  // namespace
}  // namespace jogak
