#include <unistd.h>

#include <cstdio>

#include "app/data/line_reader.h"
#include "app/models/target.h"
#include "app/use/chat.h"
#include "base/file.h"
#include "base/log.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/generation_flags.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

constexpr Words kHelp = {
    "/help            이 도움말\n"
    "/clear           처음부터 다시\n"
    "/undo            마지막 질문과 답을 잊기\n"
    "/retry           마지막 질문에 다시 답하기\n"
    "/system [TEXT]   모델에게 주는 지시를 바꾸고 처음부터 다시\n"
    "/history         지금까지의 대화\n"
    "/save FILE       대화를 JSON으로 저장\n"
    "/exit            끝내기 (Ctrl-D)\n",
    "/help            this help\n"
    "/clear           begin anew\n"
    "/undo            forget the last question and its answer\n"
    "/retry           answer the last question again\n"
    "/system [TEXT]   change what the model is told, and begin anew\n"
    "/history         the conversation so far\n"
    "/save FILE       write the conversation as JSON\n"
    "/exit            leave (Ctrl-D)\n"};

const std::vector<std::string> kCommands = {"help",    "clear", "undo", "retry", "system",
                                            "history", "save",  "exit", "quit"};

class Conversation {
 public:
  explicit Conversation(const Context& c)
      : c_(c),
        templates_(ChatTemplates::load(c.args.operand("DIR"))),
        generator_(c.args.operand("DIR"), c.args.text("dtype")),
        terminal_(isatty(STDIN_FILENO) == 1) {
    ensure_template();
    if (c.args.given("system")) system_ = c.args.text("system");
    seed_ = static_cast<uint64_t>(c.args.integer("seed"));
    settings_ = generation_settings(c.args, Writing::chat, generator_.model().vocab);
    settings_.num_beams = 1, settings_.num_return_sequences = 1;
    clear();
  }

  void run() {
    LineReader in(STDIN_FILENO, "standard input", &stop_flag());
    if (terminal_)
      tell(Words{"무엇이든 물어보세요. /help는 명령, Ctrl-D는 끝.\n",
                 "Ask anything. /help shows the commands, Ctrl-D leaves.\n"});
    std::string_view line;
    while (prompt(), in.next(line)) {
      if (line.empty()) continue;
      if (line.starts_with('/')) {
        if (!command(std::string(line.substr(1)))) break;
      } else {
        messages_.push(chat_message("user", std::string(line)));
        answer();
      }
    }
  }

 private:
  void ensure_template() const {
    if (templates_.empty()) templates_.render({}, {});  // fails, and says what is missing
  }
  // What is not an answer goes beside it, so that answers can be piped.
  void tell(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), stderr); }
  void tell(const Words& words) const { tell(words(c_.lang())); }
  void prompt() const {
    if (terminal_) tell("> ");
  }

  void clear() {
    messages_ = Json::array();
    if (!system_.empty()) messages_.push(chat_message("system", system_));
  }

  // Takes messages off the end, up to the last of the user's; false: there is none.
  bool back_to_question(bool with_it) {
    std::vector<Json> all = messages_.items();
    while (!all.empty() && all.back().find("role")->text() == "assistant") all.pop_back();
    if (all.empty() || all.back().find("role")->text() != "user") return false;
    if (with_it) all.pop_back();
    messages_ = Json::array(std::move(all));
    return true;
  }

  bool command(const std::string& typed) {
    const size_t space = typed.find(' ');
    const std::string name = typed.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : typed.substr(space + 1);
    const Words nothing = {"아직 질문이 없습니다\n", "there is no question yet\n"};
    if (name == "exit" || name == "quit") return false;
    if (name == "help") {
      tell(kHelp);
    } else if (name == "clear") {
      clear();
    } else if (name == "system") {
      system_ = rest;
      clear();
    } else if (name == "undo") {
      if (!back_to_question(true)) tell(nothing);
    } else if (name == "retry") {
      if (back_to_question(false)) {
        ++seed_;
        answer();
      } else {
        tell(nothing);
      }
    } else if (name == "history") {
      for (const Json& message : messages_.items())
        tell(message.find("role")->text() + ": " + message.find("content")->text() + "\n");
    } else if (name == "save") {
      save(rest);
    } else {
      tell(c_.lang() == Lang::ko ? "그런 명령이 없습니다: /" + name + "\n"
                                 : "no such command: /" + name + did_you_mean(name, kCommands) +
                                       "; /help shows all\n");
    }
    return true;
  }

  // A conversation replaces what it saved before, and nothing else.
  void save(const std::string& file) {
    if (file.empty()) return tell(Words{"파일 이름이 필요합니다\n", "a file name is needed\n"});
    try {
      const std::string there = file == saved_ ? "" : what_is_there(file);
      ensure(there.empty(), file, ": holds ", there, "; choose another name");
      saved_ = file;
      write_file(file, messages_.dump(2) + "\n");
    } catch (const Error& error) {
      log_warning(error.what());
    }
  }

  // A model that fails on a question does not end the conversation.
  void answer() {
    const bool json = c_.args.flag("json");
    GenerateOptions options{.settings = settings_, .seed = seed_, .stop_flag = &stop_flag()};
    if (!json)
      options.on_text = [this](std::string_view piece) {
        c_.out.write(piece);
        c_.out.flush();
      };
    try {
      const std::vector<int> ids =
          chat_prompt(templates_, generator_.tokenizer(), {.messages = messages_});
      const Generated made = std::move(generator_.texts(ids, options).front());
      messages_.push(chat_message("assistant", made.text));
      if (json) return c_.out.line(to_json(made).dump());
      c_.out.line("");
    } catch (const Stopped&) {
      throw;
    } catch (const UsageError& error) {
      refuse(error);
    } catch (const jinja::Raised& error) {
      refuse(error);
    }
    c_.out.flush();
  }

  void refuse(const Error& error) {
    log_warning(error.what());
    back_to_question(true);
  }

  const Context& c_;
  ChatTemplates templates_;
  Generator generator_;
  bool terminal_;
  GenerationSettings settings_;
  std::string system_;
  uint64_t seed_ = 0;
  std::string saved_;  // the file of the last /save
  Json messages_ = Json::array();
};

int do_chat(const Context& c) {
  use_threads(c.args);
  use_device(c.args);
  use_cache_type(c.args);
  Conversation(c).run();
  return 0;
}

std::string chat_help(Lang lang) {
  const Words words = {"한 줄이 한 마디입니다. 대화 가운데 쓰는 명령:\n\n",
                       "A line is what you say. Commands within the conversation:\n\n"};
  return std::string(words(lang)) + std::string(kHelp(lang)) + "\n" +
         generation_help(Writing::chat, lang);
}

}  // namespace

Command chat_command() {
  Command out{.name = "chat",
              .group = Group::use,
              .summary = {"터미널에서 모델과 대화합니다", "a conversation in the terminal"}};
  out.operands = {
      {"DIR",
       {"대화 틀(chat_template)이 있는 모델 디렉터리", "a model directory with a chat template"}}};
  out.options = generation_options(Writing::chat);
  for (const Option& option :
       {system_option(), seed_option("0"), dtype_option(), cache_type_option(), device_option(),
        threads_option(), json_option()})
    out.options.push_back(option);
  out.more_help = chat_help;
  out.examples = {
      {"jogak chat models/chat", {"대화하기", "talk with a model"}},
      {"jogak chat models/chat --system \"Answer in one sentence.\" --temp 0",
       {"지시를 주고, 가장 그럴듯한 답만", "with an instruction, only the likeliest answers"}},
      {"echo \"Hello\" | jogak chat models/chat --json", {"답을 JSON으로", "the answers as JSON"}},
  };
  out.run = do_chat;
  return out;
}

}  // namespace jogak::cli
