// Renders templates as they are asked for on standard input, one JSON object a line:
//   {"template","context":{..},"now":[year,month,day,hour,minute,second]}
// and answers {"text","user"} ("user": the bytes that are marked as a user's) or {"refused"} or
// {"raised"}. What check.py compares with jinja2.
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "text/jinja/template.h"

namespace {

using namespace jogak;

std::tm time_of(const Json& list) {
  std::tm out{};
  const auto at = [&](size_t i) { return static_cast<int>(list.items().at(i).integer()); };
  out.tm_year = at(0) - 1900, out.tm_mon = at(1) - 1, out.tm_mday = at(2);
  out.tm_hour = at(3), out.tm_min = at(4), out.tm_sec = at(5);
  out.tm_isdst = -1;
  std::mktime(&out);
  return out;
}

Json answer(const Json& asked) {
  static std::map<std::string, std::unique_ptr<jinja::Template>> templates;
  try {
    const std::string& source = asked.find("template")->text();
    auto& found = templates[source];
    if (!found) found = std::make_unique<jinja::Template>(source, "template");
    jinja::Context context;
    for (const auto& [name, value] : asked.find("context")->members()) {
      const bool user = name == "messages" || name == "tools" || name == "documents";
      context[name] = jinja::from_json(value, user);
    }
    const MarkedText text = found->render(context, time_of(*asked.find("now")));
    std::string user;
    for (size_t i = 0; i < text.size(); ++i)
      if (text.is_user(i)) user += text.view()[i];
    return Json::object({{"text", text.bytes()}, {"user", user}});
  } catch (const jinja::Raised& error) {
    return Json::object({{"raised", error.what()}});
  } catch (const Error& error) {
    return Json::object({{"refused", error.what()}});
  }
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::string out = answer(jogak::parse_json(line, "standard input")).dump() + "\n";
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
}
