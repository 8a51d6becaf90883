#include "text/jinja/parser.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "text/jinja/scopes.h"

namespace jogak::jinja {
namespace {

constexpr int kMaxTree = 500;    // levels of the tree: evaluating and freeing go down as far
constexpr int kMaxNested = 256;  // steps of the grammar within each other: four a bracket

struct Deeper {
  explicit Deeper(int& level) : level_(level) { ++level_; }
  ~Deeper() { --level_; }
  int& level_;
};

}  // namespace

Tree parse(std::string_view source) {
  Tree tree = Parser(tokenize(source)).run();
  find_scopes(tree);
  return tree;
}

Tree Parser::run() {
  Tree tree;
  tree.body = statements({});
  tree.names = std::move(names_);
  return tree;
}

std::string Parser::found() const {
  switch (now().kind) {
    case Token::Kind::end: return "the end of the template";
    case Token::Kind::block_end: return "the end of the tag";
    case Token::Kind::print_end: return "'}}'";
    default: return "'" + now().text + "'";
  }
}

void Parser::expect_op(std::string_view op) {
  if (!skip_op(op)) wrong("found ", found(), ", wanted '", op, "'");
}

std::string Parser::expect_name() {
  if (now().kind != Token::Kind::name) wrong("found ", found(), ", wanted a name");
  return next().text;
}

void Parser::expect(Token::Kind kind, std::string_view wanted) {
  if (now().kind != kind) wrong("found ", found(), ", wanted ", wanted);
  next();
}

NodePtr Parser::make(Kind kind, int line) const {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->line = line;
  return node;
}

NodePtr Parser::finished(NodePtr node) const {
  each_child(*node,
             [&](const Node& child) { node->depth = std::max(node->depth, child.depth + 1); });
  if (node->depth > kMaxTree) wrong("the template is nested more than ", kMaxTree, " deep");
  return node;
}

NodePtr Parser::two(Kind kind, int line, NodePtr left, NodePtr right) const {
  NodePtr node = make(kind, line);
  node->from = std::move(left);
  node->condition = std::move(right);
  return finished(std::move(node));
}

int Parser::name_number(const std::string& name) {
  const auto [place, fresh] = numbers_.try_emplace(name, static_cast<int>(names_.size()));
  if (fresh) names_.push_back(name);
  return place->second;
}

// Several expressions with commas between them are a tuple, one alone is itself.
NodePtr Parser::tuple(TupleRules rules) {
  NodePtr out = make(Kind::tuple, now().line);
  bool comma = false;
  while (true) {
    const bool ends = now().kind == Token::Kind::print_end ||
                      now().kind == Token::Kind::block_end || is_op(")") ||
                      (rules.target && is_name("in")) || (!rules.choices && is_name("recursive"));
    if (ends) break;
    out->items.push_back(rules.target    ? primary(true)
                         : rules.choices ? expression()
                                         : or_expression());
    if (!skip_op(",")) break;
    comma = true;
  }
  if (!comma) {
    if (!out->items.empty()) return std::move(out->items[0]);
    if (!rules.empty) wrong("found ", found(), ", wanted an expression");
  }
  return finished(std::move(out));
}

NodePtr Parser::target() {
  NodePtr out = tuple({.target = true});
  const auto check = [&](const Node& node, const auto& again) -> void {
    if (node.kind == Kind::tuple)
      for (const NodePtr& item : node.items) again(*item, again);
    else if (node.kind != Kind::name && node.kind != Kind::ns_name)
      fail("line ", node.line, ": only a name can be assigned to");
  };
  check(*out, check);
  return out;
}

NodePtr Parser::expression() {
  const Deeper deeper(nested_);
  if (nested_ > kMaxNested) wrong("the template is nested more than ", kMaxNested, " deep");
  return choice();
}

NodePtr Parser::choice() {
  int line = now().line;
  NodePtr left = or_expression();
  while (skip_name("if")) {
    NodePtr node = make(Kind::choice, line);
    node->condition = or_expression();
    node->from = std::move(left);
    if (skip_name("else")) node->other.push_back(expression());
    left = finished(std::move(node));
    line = now().line;
  }
  return left;
}

NodePtr Parser::or_expression() {
  const int line = now().line;
  NodePtr left = and_expression();
  while (skip_name("or")) left = two(Kind::or_, line, std::move(left), and_expression());
  return left;
}

NodePtr Parser::and_expression() {
  const int line = now().line;
  NodePtr left = not_expression();
  while (skip_name("and")) left = two(Kind::and_, line, std::move(left), not_expression());
  return left;
}

NodePtr Parser::not_expression() {
  const Deeper deeper(nested_);
  if (nested_ > kMaxNested) wrong("the template is nested more than ", kMaxNested, " deep");
  const int line = now().line;
  if (!skip_name("not")) return comparison();
  NodePtr node = make(Kind::not_, line);
  node->from = not_expression();
  return finished(std::move(node));
}

NodePtr Parser::comparison() {
  NodePtr out = make(Kind::compare, now().line);
  NodePtr first = sum();
  while (true) {
    static constexpr std::string_view kOps[] = {"==", "!=", "<", "<=", ">", ">="};
    const bool op = now().kind == Token::Kind::op &&
                    std::find(std::begin(kOps), std::end(kOps), now().text) != std::end(kOps);
    if (op) {
      out->words.push_back(next().text);
    } else if (skip_name("in")) {
      out->words.emplace_back("in");
    } else if (is_name("not") && ahead().kind == Token::Kind::name && ahead().text == "in") {
      next();
      next();
      out->words.emplace_back("not in");
    } else {
      break;
    }
    out->items.push_back(sum());
  }
  if (out->words.empty()) return first;
  out->from = std::move(first);
  return finished(std::move(out));
}

NodePtr Parser::sum() {
  const int line = now().line;
  NodePtr left = concatenation();
  while (is_op("+") || is_op("-")) {
    const std::string op = next().text;
    left = two(Kind::binary, line, std::move(left), concatenation());
    left->text = op;
  }
  return left;
}

NodePtr Parser::concatenation() {
  NodePtr out = make(Kind::concat, now().line);
  out->items.push_back(product());
  while (skip_op("~")) out->items.push_back(product());
  if (out->items.size() == 1) return std::move(out->items[0]);
  return finished(std::move(out));
}

NodePtr Parser::product() {
  const int line = now().line;
  NodePtr left = power();
  while (is_op("*") || is_op("/") || is_op("//") || is_op("%")) {
    const std::string op = next().text;
    left = two(Kind::binary, line, std::move(left), power());
    left->text = op;
  }
  return left;
}

NodePtr Parser::power() {
  const int line = now().line;
  NodePtr left = unary(true);
  while (skip_op("**")) {
    left = two(Kind::binary, line, std::move(left), unary(true));
    left->text = "**";
  }
  return left;
}

NodePtr Parser::unary(bool with_filters) {
  const Deeper deeper(nested_);
  if (nested_ > kMaxNested) wrong("the template is nested more than ", kMaxNested, " deep");
  NodePtr node;
  if (is_op("-") || is_op("+")) {
    node = make(is_op("-") ? Kind::negative : Kind::positive, now().line);
    next();
    node->from = unary(false);
    node = finished(std::move(node));
  } else {
    node = primary(false);
  }
  node = postfix(std::move(node));
  return with_filters ? filters(std::move(node)) : std::move(node);
}

NodePtr Parser::primary(bool as_target) {
  const Token token = now();
  NodePtr node = make(Kind::constant, token.line);
  switch (token.kind) {
    case Token::Kind::name: {
      next();
      const std::string& name = token.text;
      if (name == "true" || name == "True" || name == "false" || name == "False") {
        node->value = name == "true" || name == "True";
      } else if (name == "none" || name == "None") {
        node->value = None{};
      } else {
        node->kind = Kind::name;
        node->name = name_number(name);
        if (as_target && skip_op(".")) {
          node->kind = Kind::ns_name;
          node->text = expect_name();
        }
      }
      return node;
    }
    case Token::Kind::string: {
      std::string text;
      while (now().kind == Token::Kind::string) text += next().text;
      node->value = std::string_view(text);
      return node;
    }
    case Token::Kind::integer: {
      int64_t value = 0;
      const auto end = token.text.data() + token.text.size();
      if (std::from_chars(token.text.data(), end, value).ec != std::errc())
        wrong("the number ", token.text, " is too large");
      node->value = value;
      return next(), std::move(node);
    }
    case Token::Kind::number: {
      double value = 0;
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
      node->value = value;
      return next(), std::move(node);
    }
    default: break;
  }
  if (skip_op("(")) {
    const Deeper deeper(nested_);
    if (nested_ > kMaxNested) wrong("the template is nested more than ", kMaxNested, " deep");
    NodePtr inner = tuple({.empty = true});
    expect_op(")");
    return inner;
  }
  if (is_op("[")) return list();
  if (is_op("{")) return dict();
  wrong("unexpected ", found());
}

NodePtr Parser::list() {
  NodePtr out = make(Kind::list, now().line);
  expect_op("[");
  while (!is_op("]")) {
    if (!out->items.empty()) expect_op(",");
    if (is_op("]")) break;
    out->items.push_back(expression());
  }
  expect_op("]");
  return finished(std::move(out));
}

NodePtr Parser::dict() {
  NodePtr out = make(Kind::dict, now().line);
  expect_op("{");
  while (!is_op("}")) {
    if (!out->items.empty()) expect_op(",");
    if (is_op("}")) break;
    out->items.push_back(expression());
    expect_op(":");
    out->items.push_back(expression());
  }
  expect_op("}");
  return finished(std::move(out));
}

}  // namespace jogak::jinja
