// The OpenAI interface without HTTP: requests to the table of routes, on a model of the goldens.
#include "server/openai.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "base/file.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace jogak::server {
namespace {

struct TestWork final : Work {
  const std::atomic<bool>& stop() const override { return stopped; }
  void send(std::string_view piece) override { sent += piece; }
  std::shared_ptr<Work> keep() override { return {std::shared_ptr<void>(), this}; }
  void finish(Reply reply) override { finished.set_value(std::move(reply)); }
  std::atomic<bool> stopped{false};
  std::string sent;
  std::promise<Reply> finished;
};

// A golden's weights with words t0, t1, .. for its tokens; t2 is special. With a chat template.
void write_model(const std::string& out) {
  const std::string from = source_path("tests/goldens/gpt2-a");
  make_directories(out);
  const Json config = read_json_file(from + "/config.json");
  write_file(out + "/config.json", config.dump());
  std::filesystem::create_symlink(from + "/model.safetensors", out + "/model.safetensors");
  Json words = Json::object();
  for (int64_t i = 0; i < config.find("vocab_size")->integer(); ++i) words.set(text_of("t", i), i);
  const Json special =
      Json::array({Json::object({{"id", 2}, {"content", "t2"}, {"special", true}})});
  const Json tokenizer = Json::object(
      {{"added_tokens", special},
       {"pre_tokenizer", Json::object({{"type", "WhitespaceSplit"}})},
       {"model",
        Json::object({{"type", "WordLevel"}, {"unk_token", "t1"}, {"vocab", std::move(words)}})}});
  write_file(out + "/tokenizer.json", tokenizer.dump());
  write_file(out + "/chat_template.jinja",
             "{% for m in messages %}{% if m.role == 'evil' %}{{ raise_exception('no evil') }}"
             "{% endif %}t2 {{ m.content }} {% endfor %}t3");
}

class OpenAi : public testing::Test {
 protected:
  OpenAi() {
    write_model(dir_ / "words");
    service_ = std::make_unique<Service>(std::vector<std::string>{dir_ / "words"}, "", Lang::en);
    add_use_routes(routes_, *service_);
    add_openai_routes(routes_, *service_);
  }

  Reply ask(const std::string& method, const std::string& path, const std::string& body = "") {
    Request request{.method = method, .path = path, .body = body};
    std::string allowed;
    const Route* route = routes_.find(request, allowed);
    work_.sent.clear();
    work_.finished = {};
    if (!route) return {.status = 404};
    Reply reply = route->handle(request, work_);
    return reply.later ? work_.finished.get_future().get() : reply;
  }
  Json post(const std::string& path, const std::string& body, int status = 200) {
    const Reply reply = ask("POST", path, body);
    EXPECT_EQ(reply.status, status) << body << "\n" << reply.body;
    return parse_json(reply.body, "the reply");
  }
  // The field that a refused request's error names.
  std::string refused(const std::string& path, const std::string& body, int status = 400) {
    const Json error = post(path, body, status);
    const Json* field = error.find("error") ? error.find("error")->find("param") : nullptr;
    return field && field->is_string() ? field->text() : "";
  }
  static const Json& first(const Json& answer) { return answer.find("choices")->items().at(0); }

  TempDir dir_;
  std::unique_ptr<Service> service_;
  Routes routes_;
  TestWork work_;
};

TEST_F(OpenAi, ListsModelsAndFigures) {
  EXPECT_NE(ask("GET", "/v1/models").body.find("\"id\":\"words\""), std::string::npos);
  const std::string metrics = ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find("jogak_requests_total 0\n"), std::string::npos);
  EXPECT_NE(metrics.find("jogak_model_info{model=\"words\"} 1\n"), std::string::npos);
}

TEST_F(OpenAi, PromptsAreTextsOrTokensAndStreamsSayTheSame) {
  const char* kAsk = R"({"model":"words","prompt":"t5 t9","max_tokens":5,"temperature":0})";
  const Json whole = post("/v1/completions", kAsk);
  const std::string text = first(whole).find("text")->text();
  EXPECT_EQ(whole.find("usage")->find("total_tokens")->integer(), 7);
  const Json ids =
      post("/v1/completions", R"({"prompt":[[7],[5,9]],"max_tokens":5,"temperature":0})");
  EXPECT_EQ(ids.find("choices")->items().at(1).find("text")->text(), text);
  ask("POST", "/v1/completions",
      R"({"prompt":"t5 t9","max_tokens":5,"temperature":0,"stream":true,
          "stream_options":{"include_usage":true}})");
  std::string streamed;
  int events = 0;
  for (size_t at = 0, end; (end = work_.sent.find("\n\n", at)) != std::string::npos; at = end + 2) {
    const std::string event = work_.sent.substr(at, end - at);
    ASSERT_TRUE(event.starts_with("data: "));
    if (event == "data: [DONE]") break;
    const Json json = parse_json(event.substr(6), "event");
    for (const Json& choice : json.find("choices")->items())
      streamed += choice.find("text")->text();
    ++events;
  }
  EXPECT_GT(events, 2);
  EXPECT_EQ(streamed, text);
  EXPECT_TRUE(work_.sent.ends_with("data: [DONE]\n\n"));
}

TEST_F(OpenAi, EchoGivesChancesAsHarnessesReadThem) {
  const Json answer = post("/v1/completions",
                           R"({"prompt":[5,9,3],"max_tokens":1,"echo":true,"logprobs":1,
                               "temperature":0,"seed":1})");
  const Json& chances = *first(answer).find("logprobs");
  const auto& values = chances.find("token_logprobs")->items();
  const auto& best = chances.find("top_logprobs")->items();
  ASSERT_EQ(values.size(), 4u);
  EXPECT_TRUE(values[0].is_null() && best[0].is_null());
  // What greedy search wrote is the likeliest: the same number in both places.
  EXPECT_EQ(values[3].number(), best[3].members().at(0).second.number());
  EXPECT_LT(values[1].number(), 0);
  const Json none =
      post("/v1/completions", R"({"prompt":[5,9,3],"max_tokens":0,"echo":true,"logprobs":1})");
  EXPECT_EQ(first(none).find("logprobs")->find("tokens")->items().size(), 3u);
}

TEST_F(OpenAi, SeedsGiveTheSameTextsAloneAndBesideOthers) {
  const Json three = post("/v1/completions",
                          R"({"prompt":"t5","max_tokens":6,"n":3,"seed":-4,"temperature":1.5})");
  const Json one =
      post("/v1/completions", R"({"prompt":"t5","max_tokens":6,"seed":-4,"temperature":1.5})");
  EXPECT_EQ(first(three).find("text")->text(), first(one).find("text")->text());
  EXPECT_EQ(three.find("choices")->items().at(2).find("index")->integer(), 2);
}

TEST_F(OpenAi, BiasAndPenaltiesCount) {
  const auto written = [&](const std::string& more) {
    return first(post("/v1/completions",
                      R"({"prompt":"t5","max_tokens":4,"temperature":0)" + more + "}"))
        .find("text")
        ->text();
  };
  EXPECT_EQ(written(R"(,"logit_bias":{"7":100})"), " t7 t7 t7 t7");
  EXPECT_NE(written(R"(,"logit_bias":{"7":100,"8":99},"presence_penalty":2)").find("t8"),
            std::string::npos);
}

TEST_F(OpenAi, FieldsAreRefusedByName) {
  const std::pair<const char*, const char*> wrong[] = {{"stream", "\"true\""},
                                                       {"max_tokens", "-1"},
                                                       {"max_tokens", "9223372036854775808"},
                                                       {"max_tokens", "1.5"},
                                                       {"max_tokens", "\"5\""},
                                                       {"temperature", "-1"},
                                                       {"temperature", "\"hot\""},
                                                       {"top_p", "0"},
                                                       {"top_p", "2"},
                                                       {"min_p", "-1"},
                                                       {"top_k", "1.5"},
                                                       {"repetition_penalty", "0"},
                                                       {"frequency_penalty", "\"1\""},
                                                       {"n", "0"},
                                                       {"n", "100000"},
                                                       {"stop", "\"\""},
                                                       {"stop", "[1]"},
                                                       {"logit_bias", "{\"x\":1}"},
                                                       {"logit_bias", "{\"9999999\":1}"},
                                                       {"logit_bias", "{\"1\":1000}"},
                                                       {"seed", "1.5"},
                                                       {"seed", "18446744073709551616"},
                                                       {"echo", "1"},
                                                       {"user", "7"},
                                                       {"prompt", "{}"},
                                                       {"prompt", "[]"},
                                                       {"prompt", "[99999999]"},
                                                       {"suffix", "\"x\""},
                                                       {"logprobs", "true"},
                                                       {"best_of", "2"},
                                                       {"presence_penalty", "3"},
                                                       {"stream_options", "{}"},
                                                       {"model", "5"}};
  for (const auto& [field, value] : wrong)
    EXPECT_EQ(refused("/v1/completions",
                      text_of(std::string_view(field) == "prompt" ? "{\"" : "{\"prompt\":\"t5\",\"",
                              field, "\":", value, "}")),
              field)
        << value;
  refused("/v1/completions", R"({"model":"other"})", 404);
  refused("/v1/completions", R"({"prompt":"t5","temperature":1e400})");
  refused("/v1/completions", R"({"prompt":"t5","temperature":NaN})");
  std::string many = "\"a\"";
  for (int i = 1; i < 10'000; ++i) many += ",\"a\"";
  EXPECT_EQ(refused("/v1/completions", R"({"prompt":"t5","stop":[)" + many + "]}"), "stop");
  const std::string long_stop(1 << 20, 'a');
  EXPECT_EQ(refused("/v1/completions", R"({"prompt":"t5","stop":")" + long_stop + "\"}"), "stop");
  const Json odd = post("/v1/completions", R"({"prompt":"t5","max_tokens":1,"colour":1})");
  EXPECT_NE(odd.find("warnings")->dump().find("colour"), std::string::npos);
  const Json room = post("/v1/completions", R"({"prompt":"t5","max_tokens":100000})", 400);
  EXPECT_EQ(room.find("error")->find("code")->text(), "context_length_exceeded");
  EXPECT_NE(room.find("error")->find("message")->text().find("100000 of the answer"),
            std::string::npos);
  EXPECT_EQ(room.find("error")->find("param")->text(), "max_tokens");
  std::string words = "t5";
  for (int i = 0; i < 5000; ++i) words += " t5";
  EXPECT_EQ(refused("/v1/completions", R"({"prompt":")" + words + "\"}"), "prompt");
  EXPECT_EQ(refused("/v1/chat/completions", R"({"messages":[{"role":"user","content":")" + words +
                                                "\"}],\"max_tokens\":1}"),
            "messages");
}

// Zero new tokens: the prompt is looked at, nothing is written.
TEST_F(OpenAi, NothingNeedBeWritten) {
  const Json none =
      post("/v1/completions", R"({"prompt":[5,9,3],"max_tokens":0,"echo":true,"logprobs":0})");
  EXPECT_EQ(first(none).find("text")->text(), "t5 t9 t3");
  EXPECT_EQ(first(none).find("logprobs")->find("token_logprobs")->items().size(), 3u);
  EXPECT_EQ(none.find("usage")->find("completion_tokens")->integer(), 0);
}

TEST_F(OpenAi, AFullQueueSaysWhenToComeBack) {
  service_->desks.limits.queue = 0;
  service_->desks.limits.sequences = 1;
  TestWork first_work;
  Request request{.method = "POST",
                  .path = "/v1/completions",
                  .body = R"({"prompt":"t5","max_tokens":12,"n":64,"temperature":1})"};
  std::string allowed;
  const Route* route = routes_.find(request, allowed);
  ASSERT_TRUE(route->handle(request, first_work).later);
  const Reply busy = ask("POST", "/v1/completions", R"({"prompt":"t5"})");
  EXPECT_EQ(busy.status, 429);
  ASSERT_FALSE(busy.headers.empty());
  EXPECT_EQ(busy.headers[0].first, "Retry-After");
  first_work.stopped = true;
  EXPECT_EQ(first_work.finished.get_future().get().status, 499);
}

// Chances come with the piece that their tokens end in, and all of them come.
TEST_F(OpenAi, StreamsTellChancesToo) {
  const std::string kAsk = R"("prompt":"t5 t9","max_tokens":6,"temperature":0,"logprobs":2)";
  const Json whole = post("/v1/completions", "{" + kAsk + "}");
  ask("POST", "/v1/completions", "{" + kAsk + ",\"stream\":true}");
  Json values = Json::array();
  for (size_t at = 0, end; (end = work_.sent.find("\n\n", at)) != std::string::npos; at = end + 2) {
    const std::string event = work_.sent.substr(at + 6, end - at - 6);
    if (event == "[DONE]") break;
    const Json json = parse_json(event, "event");
    const Json* chances = first(json).find("logprobs");
    if (!chances->is_object()) continue;
    for (const Json& one : chances->find("token_logprobs")->items()) values.push(one);
  }
  EXPECT_EQ(values.dump(), first(whole).find("logprobs")->find("token_logprobs")->dump());
}

TEST_F(OpenAi, ConversationsGoByTheTemplate) {
  const Json whole = post("/v1/chat/completions",
                          R"({"messages":[{"role":"user","content":"t5 t9"}],"max_tokens":4,
                              "temperature":0,"logprobs":true,"top_logprobs":2})");
  EXPECT_EQ(first(whole).find("message")->find("role")->text(), "assistant");
  EXPECT_EQ(whole.find("usage")->find("prompt_tokens")->integer(), 4);
  EXPECT_EQ(first(whole).find("logprobs")->find("content")->items().size(), 4u);
  // "t2" is the template's where the template wrote it, and text where a user did.
  const Json ids = post("/tokenize", R"({"messages":[{"role":"user","content":"t2 t9"}]})");
  EXPECT_EQ(ids.find("tokens")->items().at(0).integer(), 2);
  EXPECT_NE(ids.find("tokens")->items().at(1).integer(), 2);
  ask("POST", "/v1/chat/completions",
      R"({"messages":[{"role":"user","content":"t5 t9"}],"max_tokens":4,"temperature":0,
          "stream":true})");
  EXPECT_NE(work_.sent.find("\"delta\":{\"role\":\"assistant\",\"content\":\"\"}"),
            std::string::npos);
  EXPECT_NE(work_.sent.find("\"finish_reason\":\"length\""), std::string::npos);
  EXPECT_TRUE(work_.sent.ends_with("data: [DONE]\n\n"));
}

TEST_F(OpenAi, ConversationsThatAreWrongAreRefused) {
  for (const char* messages :
       {"[]", "5", "[1]", "[{\"content\":\"a\"}]", "[{\"role\":\"user\"}]",
        "[{\"role\":\"user\",\"content\":null}]", "[{\"role\":\"user\",\"content\":7}]",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]",
        "[{\"role\":\"evil\",\"content\":\"a\"}]"})
    EXPECT_EQ(refused("/v1/chat/completions", text_of("{\"messages\":", messages, "}")), "messages")
        << messages;
  const std::string rest = R"("messages":[{"role":"user","content":"t5"}])";
  for (const char* format :
       {"5", "{}", "{\"type\":\"xml\"}", "{\"type\":\"json_schema\"}",
        "{\"type\":\"json_schema\",\"json_schema\":{\"schema\":{\"allOf\":[]}}}"})
    EXPECT_EQ(
        refused("/v1/chat/completions", text_of("{\"response_format\":", format, ",", rest, "}")),
        "response_format")
        << format;
  EXPECT_EQ(refused("/v1/chat/completions", "{\"max_tokens\":0," + rest + "}"), "max_tokens");
}

// Kinds 249 and 261 of the larger sort: long lists end with an answer, no address is followed and
// nothing in one is unpacked.
TEST_F(OpenAi, HugeConversationsAndImagesWithinThemAreRefused) {
  std::string many = R"({"role":"user","content":"t5"})";
  for (int i = 1; i < 20000; ++i) many += R"(,{"role":"user","content":"t5"})";
  const Reply reply =
      ask("POST", "/v1/chat/completions", text_of("{\"messages\":[", many, "],\"max_tokens\":2}"));
  EXPECT_EQ(reply.status, 400) << reply.body;
  EXPECT_LT(reply.body.size(), 2000u);
  for (const char* address :
       {"data:image/png;base64,!!!!", "data:image/png;base64,AAAA", "data:,x", "file:///etc/passwd",
        "ftp://a/b", "http:\\\\@a", "http://127.0.0.1:1/x"})
    EXPECT_EQ(refused("/v1/chat/completions",
                      text_of(R"({"messages":[{"role":"user","content":[{"type":"image_url",)",
                              R"("image_url":{"url":")", address, R"("}}]}]})")),
              "messages")
        << address;
}

// Kind 265: names from outside stay within the quotes of their label.
TEST_F(OpenAi, FiguresTakeNoLinesFromNames) {
  const std::string evil = "x\"} 1\nevil{y=\"";
  write_model(dir_ / evil);
  Service service({dir_ / evil}, "", Lang::en);
  Routes routes;
  add_openai_routes(routes, service);
  const auto asked = [&](const char* method, const char* path, const std::string& body) {
    Request request{.method = method, .path = path, .body = body};
    std::string allowed;
    return routes.find(request, allowed)->handle(request, work_);
  };
  const std::string name = Json(evil).dump();
  EXPECT_EQ(
      asked("POST", "/v1/completions", text_of("{\"prompt\":\"t5\",\"model\":", name, "}")).status,
      404);
  asked("POST", "/v1/completions", text_of("{\"prompt\":\"t5\",\"user\":", name, "}"));
  work_.finished.get_future().get();
  const std::string figures = asked("GET", "/metrics", "").body;
  EXPECT_NE(figures.find("jogak_model_info{model=\""), std::string::npos);
  EXPECT_EQ(figures.find("\nevil"), std::string::npos) << figures;
}

TEST_F(OpenAi, FiguresTellHowLongPassesTook) {
  post("/v1/completions", R"({"prompt":"t5","max_tokens":2})");
  const auto figure = [&](const std::string& name) {
    const std::string all = ask("GET", "/metrics").body;
    const size_t at = all.find("\n" + name + "{");
    return at == std::string::npos ? -1 : std::stod(all.substr(all.find("} ", at) + 2));
  };
  const double steps = figure("jogak_steps_total"), seconds = figure("jogak_model_seconds_total");
  EXPECT_GE(steps, 1);
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 60);
  post("/v1/completions", R"({"prompt":"t5","max_tokens":4})");
  EXPECT_GT(figure("jogak_model_seconds_total"), seconds);
}

TEST_F(OpenAi, TokensThereAndBack) {
  const Json ids = post("/tokenize", R"({"prompt":"t5 t9"})");
  EXPECT_EQ(ids.find("count")->integer(), 2);
  EXPECT_EQ(post("/detokenize", R"({"tokens":[5,9]})").find("prompt")->text(), "t5 t9");
  EXPECT_EQ(refused("/detokenize", R"({"tokens":[-1]})"), "tokens");
  EXPECT_NE(ask("GET", "/tokenizer_info").body.find("chat_template"), std::string::npos);
}

}  // namespace
}  // namespace jogak::server
