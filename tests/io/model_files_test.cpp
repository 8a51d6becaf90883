#include "io/model_files.h"

#include <filesystem>

#include "io/shard_index.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;
using test::write_plain;

const std::string kIndex = kModelIndexFile;

// A model of two shards: a and b in one, c in the other.
struct Sharded {
  TempDir dir;
  Sharded() {
    save_safetensors(dir / "one.safetensors", {{"a", scalar(1)}, {"b", zeros({2, 3})}});
    save_safetensors(dir / "two.safetensors", {{"c", scalar(3)}});
    index(R"({"metadata":{"total_size":32},"weight_map":{"a":"one.safetensors",)"
          R"("b":"one.safetensors","c":"two.safetensors"}})");
  }
  void index(const std::string& text) const { write_plain(dir / kIndex, text); }
};

TEST(ModelFiles, OneFile) {
  const TempDir dir;
  save_model_files(dir / "new", {{"a", scalar(1)}, {"b", scalar(2)}});
  const ModelFiles model(dir / "new");
  EXPECT_EQ(model.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(item(model.get("b")), 2);
  EXPECT_EQ(model.file_of("a"), dir / "new/model.safetensors");
  EXPECT_EQ(model.bytes(), 8u);
  EXPECT_EQ(model.files()[0].metadata(), (Metadata{{"format", "pt"}}));
  expect_error<MissingError>([&] { model.get("zz"); },
                             dir / "new/model.safetensors: no tensor \"zz\"");
}

TEST(ModelFiles, Shards) {  // also A12: the index and the shards list tensors in any order
  const Sharded model_dir;
  testing::internal::CaptureStderr();
  const ModelFiles model(model_dir.dir.path());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(model.names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(model.has("c"));
  EXPECT_FALSE(model.has("d"));
  EXPECT_EQ(item(model.get("a")), 1);
  EXPECT_EQ(item(model.read("c")), 3);
  EXPECT_TRUE(model.get("c").storage()->borrowed());
  EXPECT_FALSE(model.read("c").storage()->borrowed());
  EXPECT_EQ(model.info("b").shape, (Shape{2, 3}));
  EXPECT_EQ(model.file_of("c"), model_dir.dir / "two.safetensors");
  EXPECT_EQ(model.bytes(), 32u);
  expect_error<MissingError>([&] { model.get("weight"); },
                             model_dir.dir.path() + ": no tensor \"weight\" in any shard");
}

TEST(ModelFiles, AWrongIndex) {
  const Sharded model;
  const std::string path = model.dir / kIndex;
  const struct {
    const char *label, *index, *reason;  // '@' stands before the byte named
  } cases[] = {
      {"65 not JSON", "@model", "wanted a JSON value"},
      {"65 an array", "@[]", "wanted an object"},
      {"66 no weight_map", "@{}", "key \"weight_map\" is missing"},
      {"66 weight_map a list", R"({"weight_map":@[]})", "wanted an object"},
      {"67 not a string", R"({"weight_map":{"a":@1}})", "wanted the name of a shard"},
      {"68 leaves", R"({"weight_map":{"a":@"../one.safetensors"}})",
       "the shard path leaves the model directory"},
      {"68 leaves later", R"({"weight_map":{"a":@"x/../../one.safetensors"}})",
       "the shard path leaves the model directory"},
      {"69 absolute", R"({"weight_map":{"a":@"/one.safetensors"}})",
       "the shard path leaves the model directory"},
      {"71 backslash", R"({"weight_map":{"a":@"..\\one.safetensors"}})", "a backslash"},
      {"71 NUL", R"({"weight_map":{"a":@"one.safetensors\u0000"}})", "a NUL"},
      {"71 empty", R"({"weight_map":{"a":@""}})", "an empty shard name"},
      {"73 listed, absent",
       R"({"weight_map":{"a":"one.safetensors","b":"one.safetensors","d":@"one.safetensors"}})",
       "tensor \"d\" is listed in "},
      {"73 in another shard",
       R"({"weight_map":{"a":"one.safetensors","b":"one.safetensors","c":@"one.safetensors",)"
       R"("d":"two.safetensors"}})",
       "/two.safetensors"},
      {"76 names itself", R"({"weight_map":{"a":@"model.safetensors.index.json"}})",
       "names itself"},
      {"76 names itself in another way",
       R"({"weight_map":{"a":@"./model.safetensors.index.json"}})", "names itself"},
      {"80 case only",
       R"({"weight_map":{"a":@"one.safetensors","b":"One.safetensors","c":"two.safetensors"}})",
       "differ in case only"},
      {"name twice", R"({"weight_map":{"a":"one.safetensors",@"a":"one.safetensors"}})",
       "a second time"},
      {"empty name", R"({"weight_map":{"":@"one.safetensors"}})", "empty name"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.label);
    std::string text = c.index;
    const size_t at = text.find('@');
    text.erase(at, 1);
    model.index(text);
    const std::string message = error_of<FormatError>([&] { ModelFiles{model.dir.path()}; });
    const std::string start = text_of(path, ": byte ", at, ": ");
    EXPECT_EQ(message.substr(0, start.size()), start) << message;
    EXPECT_NE(message.find(c.reason), std::string::npos) << message;
  }
}

TEST(ModelFiles, ShardsThatDoNotAgree) {
  const Sharded model;
  model.index(R"({"weight_map":{"a":"one.safetensors","c":"two.safetensors"}})");
  const std::string unlisted = error_of<FormatError>([&] { ModelFiles{model.dir.path()}; });  // 74
  EXPECT_EQ(unlisted.find(model.dir / "one.safetensors: byte "), 0u) << unlisted;
  EXPECT_NE(unlisted.find("tensor \"b\" is not listed in " + model.dir / kIndex),
            std::string::npos);

  save_safetensors(model.dir / "two.safetensors", {{"a", scalar(3)}, {"c", scalar(3)}});
  model.index(R"({"weight_map":{"a":"one.safetensors","b":"one.safetensors",)"
              R"("c":"two.safetensors"}})");
  const std::string twice = error_of<FormatError>([&] { ModelFiles{model.dir.path()}; });  // 75
  EXPECT_NE(twice.find("tensor \"a\" is in two shards, also in " + model.dir / "one.safetensors"),
            std::string::npos)
      << twice;

  model.index(R"({"weight_map":{"a":"one.safetensors","z":"three.safetensors"}})");
  expect_error<MissingError>([&] { ModelFiles{model.dir.path()}; },  // 72
                             model.dir / "three.safetensors: no such file; " + model.dir / kIndex +
                                 ": byte 41 names this shard");
}

TEST(ModelFiles, TooManyShards) {  // 77
  const Sharded model;
  std::string text = R"({"weight_map":{)";
  for (int i = 0; i < 100'000; ++i)
    text += text_of(i ? "," : "", "\"t", i, "\":\"shard-", i, ".safetensors\"");
  model.index(text + "}}");
  const std::string message = error_of<FormatError>([&] { ModelFiles{model.dir.path()}; });
  EXPECT_NE(message.find("too many shards, wanted at most 4096"), std::string::npos) << message;
}

TEST(ModelFiles, AWrongTotalIsAWarning) {  // 78
  const Sharded model;
  model.index(R"({"metadata":{"total_size":33},"weight_map":{"a":"one.safetensors",)"
              R"("b":"one.safetensors","c":"two.safetensors"}})");
  testing::internal::CaptureStderr();
  EXPECT_EQ(ModelFiles(model.dir.path()).names().size(), 3u);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "jogak: warning: " + model.dir / kIndex + ": total_size is 33, the tensors have 32 bytes\n");
}

TEST(ModelFiles, BothOrNeither) {  // 79
  const Sharded model;
  save_safetensors(model.dir / kModelFile, {{"a", scalar(1)}});
  expect_error<FormatError>(
      [&] { ModelFiles{model.dir.path()}; },
      model.dir.path() + ": found both model.safetensors and " + kIndex + ", wanted one of them");
  const TempDir dir;
  expect_error<MissingError>([&] { ModelFiles{dir / "none"}; }, dir / "none: no such directory");
  const std::string neither = dir.path() + ": found neither model.safetensors nor " + kIndex;
  expect_error<MissingError>([&] { ModelFiles{dir.path()}; }, neither);
  write_plain(dir / "pytorch_model.bin", "");
  EXPECT_EQ(
      error_of<MissingError>([&] { ModelFiles{dir.path()}; }).find(neither + "; there is a py"),
      0u);
}

TEST(ModelFiles, LinksStayInsideOrInTheSameHubCache) {  // 70
  const TempDir root;
  make_directories(root / "repo/snapshots/abc");
  make_directories(root / "repo/blobs");
  make_directories(root / "elsewhere");
  for (const char* place : {"repo/blobs/hash", "repo/snapshots/abc/real", "elsewhere/file"})
    save_safetensors(root / place, {{"a", scalar(7)}});
  const std::string dir = root / "repo/snapshots/abc";
  const auto open_link = [&](const std::string& target) {
    fs::remove(dir + "/s.safetensors");
    fs::create_symlink(target, dir + "/s.safetensors");
    return item(ModelFiles(dir).get("a"));
  };
  write_plain(root / "repo/index", R"({"weight_map":{"a":"s.safetensors"}})");
  fs::create_symlink("../../index", dir + "/" + kIndex);  // the index itself may be a link too
  EXPECT_EQ(open_link("../../blobs/hash"), 7);
  EXPECT_EQ(open_link("real"), 7);
  for (const std::string& target :
       {std::string("../../../elsewhere/file"), root / "elsewhere/file"}) {
    const std::string message = error_of<FormatError>([&] { open_link(target); });
    EXPECT_NE(message.find("is a link, and the shard path leaves the model directory"),
              std::string::npos)
        << message;
  }
  make_directories(root / "blobs");
  save_safetensors(root / "blobs/hash", {{"a", scalar(7)}});
  error_of<FormatError>([&] { open_link("../../../blobs/hash"); });  // another repository's blobs
  const ModelFiles through_a_link = [&] {
    open_link("real");
    fs::create_directory_symlink(dir, root / "alias");
    return ModelFiles(root / "alias");
  }();
  EXPECT_EQ(item(through_a_link.get("a")), 7);
}

std::vector<std::string> weight_files(const TempDir& dir) {
  std::vector<std::string> out;
  for (const std::string& name : list_directory(dir.path()))
    if (name.starts_with("model")) out.push_back(name);
  return out;
}

TEST(ModelFiles, SavesShardsOverALimit) {
  const TempDir dir;
  // 12, 24, 4 and 4 bytes: what is larger than a shard has one of its own.
  const NamedTensors tensors = {
      {"b", zeros({3})}, {"big", zeros({2, 3})}, {"a", scalar(1)}, {"c", scalar(3)}};
  save_model_files(dir.path(), tensors, {{"format", "pt"}}, 16);
  EXPECT_EQ(weight_files(dir),
            (std::vector<std::string>{"model-00001-of-00003.safetensors",
                                      "model-00002-of-00003.safetensors",
                                      "model-00003-of-00003.safetensors", kIndex}));
  testing::internal::CaptureStderr();
  const ModelFiles model(dir.path());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // the total is right
  EXPECT_EQ(model.names(), (std::vector<std::string>{"a", "b", "big", "c"}));
  EXPECT_EQ(item(model.get("c")), 3);
  EXPECT_EQ(model.file_of("a"), model.file_of("c"));
  EXPECT_EQ(model.file_of("big"), dir / "model-00002-of-00003.safetensors");
  expect_error<Error>(
      [&] {
        save_model_files(dir / "twice", {{"a", scalar(1)}, {"a", scalar(2)}}, {}, 4);
      },
      dir / "twice: two tensors called \"a\"");
}

TEST(ModelFiles, ANewModelReplacesTheOldOneWhole) {
  const TempDir dir;
  const NamedTensors first = {{"a", scalar(1)}, {"b", scalar(2)}};
  const NamedTensors second = {{"a", scalar(5)}, {"b", scalar(6)}};
  save_model_files(dir.path(), first);
  EXPECT_EQ(weight_files(dir), std::vector<std::string>{kModelFile});
  save_model_files(dir.path(), first, {}, 4);  // one file gives way to shards
  EXPECT_EQ(weight_files(dir).size(), 3u);
  save_model_files(dir.path(), second, {}, 4);  // whose names were in use until the index moved
  EXPECT_EQ(weight_files(dir),
            (std::vector<std::string>{"model-v2-00001-of-00002.safetensors",
                                      "model-v2-00002-of-00002.safetensors", kIndex}));
  EXPECT_EQ(item(ModelFiles(dir.path()).get("b")), 6);
  save_model_files(dir.path(), first, {}, 4);
  EXPECT_EQ(weight_files(dir)[0], "model-00001-of-00002.safetensors");
  save_model_files(dir.path(), second);  // and shards to one file
  EXPECT_EQ(weight_files(dir), std::vector<std::string>{kModelFile});
  EXPECT_EQ(item(ModelFiles(dir.path()).get("a")), 5);
}

}  // namespace
}  // namespace jogak
