// What follows a value: attributes, items, calls, filters, tests.
#include <utility>

#include "base/error.h"
#include "text/jinja/parser.h"

namespace jogak::jinja {

NodePtr Parser::postfix(NodePtr node) {
  while (true) {
    if (is_op(".") || is_op("["))
      node = subscript(std::move(node));
    else if (is_op("("))
      node = call(std::move(node));
    else
      return node;
  }
}

NodePtr Parser::filters(NodePtr node) {
  while (true) {
    if (is_op("|"))
      node = filter(std::move(node), false);
    else if (is_name("is"))
      node = test(std::move(node));
    else if (is_op("("))
      node = call(std::move(node));
    else
      return node;
  }
}

NodePtr Parser::filter(NodePtr node, bool inline_start) {
  while (is_op("|") || inline_start) {
    if (!inline_start) next();
    inline_start = false;
    NodePtr out = make(Kind::filter, now().line);
    out->text = expect_name();
    while (skip_op(".")) out->text += "." + expect_name();
    if (is_op("(")) arguments(*out);
    out->from = std::move(node);
    node = finished(std::move(out));
  }
  return node;
}

NodePtr Parser::test(NodePtr node) {
  NodePtr out = make(Kind::test, next().line);
  const bool negated = skip_name("not");
  out->text = expect_name();
  while (skip_op(".")) out->text += "." + expect_name();
  const Token& token = now();
  const bool value = token.kind == Token::Kind::string || token.kind == Token::Kind::integer ||
                     token.kind == Token::Kind::number || is_op("[") || is_op("{");
  const bool name =
      token.kind == Token::Kind::name && !is_name("else") && !is_name("or") && !is_name("and");
  if (is_op("(")) {
    arguments(*out);
  } else if (value || name) {
    if (is_name("is")) wrong("tests cannot be chained with 'is'");
    out->items.push_back(postfix(primary(false)));
  }
  out->from = std::move(node);
  const int line = out->line;
  out = finished(std::move(out));
  if (!negated) return out;
  NodePtr inverse = make(Kind::not_, line);
  inverse->from = std::move(out);
  return finished(std::move(inverse));
}

NodePtr Parser::subscript(NodePtr node) {
  const int line = now().line;
  if (skip_op(".")) {
    NodePtr out = make(Kind::attribute, line);
    if (now().kind == Token::Kind::integer) {
      out->kind = Kind::item;
      out->condition = primary(false);
    } else {
      out->text = expect_name();
    }
    out->from = std::move(node);
    return finished(std::move(out));
  }
  expect_op("[");
  std::vector<NodePtr> keys;
  while (!is_op("]")) {
    if (!keys.empty()) expect_op(",");
    keys.push_back(subscribed());
  }
  expect_op("]");
  if (keys.size() != 1) wrong("a subscript has ", keys.size(), " keys, wanted one");
  return two(Kind::item, line, std::move(node), std::move(keys[0]));
}

NodePtr Parser::subscribed() {
  NodePtr out = make(Kind::slice, now().line);
  out->items.resize(3);
  if (!is_op(":")) {
    NodePtr first = expression();
    if (!is_op(":")) return first;
    out->items[0] = std::move(first);
  }
  for (int i = 1; i < 3 && skip_op(":"); ++i)
    if (!is_op(":") && !is_op("]") && !is_op(",")) out->items[i] = expression();
  return finished(std::move(out));
}

NodePtr Parser::call(NodePtr node) {
  NodePtr out = make(Kind::call, now().line);
  arguments(*out);
  out->from = std::move(node);
  return finished(std::move(out));
}

void Parser::arguments(Node& node) {
  expect_op("(");
  while (!is_op(")")) {
    if (!node.items.empty() || !node.named.empty() || node.star || node.stars) {
      expect_op(",");
      if (is_op(")")) break;
    }
    const bool named =
        now().kind == Token::Kind::name && ahead().kind == Token::Kind::op && ahead().text == "=";
    if (skip_op("**") && !node.stars) {
      node.stars = expression();
    } else if (node.stars) {
      wrong("arguments after **");
    } else if (skip_op("*") && !node.star) {
      node.star = expression();
    } else if (named) {
      std::string name = next().text;
      next();
      node.named.emplace_back(std::move(name), expression());
    } else {
      if (node.star || !node.named.empty()) wrong("an argument without a name after one with it");
      node.items.push_back(expression());
    }
  }
  expect_op(")");
}

}  // namespace jogak::jinja
