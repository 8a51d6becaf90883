// Templates against what jinja2 made of them (tests/goldens/templates), limits, and who wrote what.
#include "text/jinja/template.h"

#include <map>

#include "tests/support/places.h"
#include "tests/text/helpers.h"

namespace jogak {
namespace {

using jinja::Context;
using jinja::Limits;
using jinja::Template;

std::tm saturday() {
  std::tm out{};
  out.tm_year = 126, out.tm_mon = 2, out.tm_mday = 7, out.tm_wday = 6, out.tm_yday = 65;
  out.tm_hour = 15, out.tm_min = 4, out.tm_sec = 5;
  return out;
}

MarkedText marked(const std::string& source, const Context& context, const Limits& limits = {}) {
  return Template(source, "t").render(context, saturday(), limits);
}

std::string made(const std::string& source, const Context& context = {}) {
  return marked(source, context).bytes();
}

std::string refused(const std::string& source, const Limits& limits = {}) {
  return error_of<FormatError>([&] { marked(source, {}, limits); });
}

// The bytes a user wrote as they are, the others as dots.
std::string users(const MarkedText& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) out += text.is_user(i) ? text.view()[i] : '.';
  return out;
}

TEST(Jinja, GivesTheBytesOfJinja2) {
  const std::string folder = source_path("tests/goldens/templates/");
  std::map<std::string, Template> templates;
  int equal = 0, both_refuse = 0;
  std::string rows = read_file(folder + "goldens.jsonl");
  for (size_t at = 0; at < rows.size();) {
    const size_t end = rows.find('\n', at);
    const Json row = parse_json(std::string_view(rows).substr(at, end - at), "goldens.jsonl");
    at = end + 1;
    const std::string& name = row.find("template")->text();
    const auto found =
        templates.try_emplace(name, Template(read_file(folder + name + ".jinja"), name));
    Context context;
    for (const auto& [key, value] : row.find("context")->members())
      context[key] = jinja::from_json(value, true);
    const Template& one = found.first->second;
    if (const Json* text = row.find("text")) {
      EXPECT_EQ(one.render(context, saturday()).bytes(), text->text()) << name;
      ++equal;
    } else {
      EXPECT_THROW(one.render(context, saturday()), Error) << name;
      ++both_refuse;
    }
  }
  EXPECT_GE(templates.size(), 25u);
  EXPECT_GE(equal, 100);
  EXPECT_GE(both_refuse, 5);
}

TEST(Jinja, UserBytesStayMarkedThroughEveryOperation) {
  const Context context = {{"u", jinja::Value(MarkedText("User", true))}};
  const auto marks = [&](const std::string& source) { return users(marked(source, context)); };
  EXPECT_EQ(marks("a{{ u }}b"), ".User.");
  EXPECT_EQ(marks("{{ 'a' + u ~ 'b' }}"), ".User.");
  EXPECT_EQ(marks("{{ u|upper }}{{ u.lower() }}{{ u|title }}"), "USERuserUser");
  EXPECT_EQ(marks("{{ u[1:3] }}{{ u[0] }}{{ u[::-1] }}"), "seUresU");
  EXPECT_EQ(marks("{{ u|replace('s', 'xx') }}"), "U..er");
  EXPECT_EQ(marks("{{ 'abc'|replace('b', u) }}"), ".User.");
  EXPECT_EQ(marks("{{ u.split('s')|join('-') }}"), "U.er");
  EXPECT_EQ(marks("{{ [u, 'x'] }}{{ {'k': u}|tojson }}"), "..User..............User..");
  EXPECT_EQ(marks("{{ '<%s|%5s>' % (u, u) }}{{ '{}!'.format(u) }}"), ".User..User.User.");
  EXPECT_EQ(marks("{{ u|indent(2, first=true) }}{{ (' ' ~ u ~ ' ')|trim }}"), "..UserUser");
  EXPECT_EQ(marks("{% set x %}<{{ u }}>{% endset %}{{ x }}"), ".User.");
  EXPECT_EQ(marks("{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(u) }}"), ".User.");
  EXPECT_EQ(marks("{% for c in u %}{{ c }},{% endfor %}{{ u * 2 }}"), "U.s.e.r.UserUser");
}

TEST(Jinja, StopsWhatDoesNotEnd) {
  EXPECT_NE(refused("{% for i in range(1000000000) %}{% endfor %}").find("step limit"),
            std::string::npos);
  EXPECT_NE(refused("{% for i in range(99999) %}{% for j in range(99999) %}{{ i }}{% endfor %}"
                    "{% endfor %}",
                    {.steps = 10'000})
                .find("step limit"),
            std::string::npos);
  EXPECT_NE(
      refused("{% for i in range(9999) %}{{ 'aaaaaaaaaaaaaaaa' }}{% endfor %}", {.bytes = 1000})
          .find("output limit"),
      std::string::npos);
  EXPECT_NE(refused("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}").find("recursion limit"),
            std::string::npos);
  EXPECT_NE(refused("{% set n = namespace(x=[]) %}{% for i in range(200) %}{% set n.x = [n.x] %}"
                    "{% endfor %}")
                .find("deep"),
            std::string::npos);
  EXPECT_NE(refused("{% set n = namespace(x='a') %}{% for i in range(99) %}"
                    "{% set n.x = n.x + n.x %}{% endfor %}")
                .find("bytes"),
            std::string::npos);
  std::string deep = "{{ ";
  for (int i = 0; i < 10'000; ++i) deep += "(";
  EXPECT_NE(refused(deep + "1" + std::string(10'000, ')') + " }}").find("nested"),
            std::string::npos);
  std::string chain = "{{ 1";
  for (int i = 0; i < 100'000; ++i) chain += " + 1";
  EXPECT_NE(refused(chain + " }}").find("nested"), std::string::npos);
}

TEST(Jinja, KeepsToTheSandbox) {
  for (const char* source :
       {"{{ ''.__class__ }}", "{{ messages.__init__ }}", "{{ range.__globals__ }}",
        "{{ [].append(1) }}", "{{ {}.update({'a': 1}) }}", "{{ {}.pop('a') }}",
        "{% set n = namespace(_x=1) %}", "{{ cycler('a') }}", "{% include 'x' %}",
        "{% import 'x' as y %}", "{% extends 'x' %}", "{{ x|attr('y') }}", "{% do x %}"})
    EXPECT_NE(refused(source).find("t: line 1: "), std::string::npos) << source;
}

TEST(Jinja, SaysWhichLine) {
  EXPECT_TRUE(refused("a\nb\n{{ x.y.z }}").starts_with("t: line 3: 'x' is undefined"));
  EXPECT_TRUE(refused("{% if x %}\n\n{{ ").starts_with("t: line 3: "));
  EXPECT_EQ(error_of<jinja::Raised>([] { made("\n{{ raise_exception('no ' ~ 1) }}"); }), "no 1");
  EXPECT_EQ(made("{{ strftime_now('%Y-%m-%d %-d %b %A %H:%M') }}"),
            "2026-03-07 7 Mar Saturday 15:04");
}

}  // namespace
}  // namespace jogak
