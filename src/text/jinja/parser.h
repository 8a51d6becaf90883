// Tokens -> tree. What is not in the subset is refused with its line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/jinja/lexer.h"
#include "text/jinja/node.h"

namespace jogak::jinja {

Tree parse(std::string_view source);

// The two halves of the parser share their place in the tokens.
class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
  Tree run();

 private:
  using Kind = Node::Kind;
  using Ends = std::vector<std::string_view>;

  // Tokens
  const Token& now() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool is_op(std::string_view op) const {
    return now().kind == Token::Kind::op && now().text == op;
  }
  bool is_name(std::string_view name) const {
    return now().kind == Token::Kind::name && now().text == name;
  }
  bool skip_op(std::string_view op) { return is_op(op) && (next(), true); }
  bool skip_name(std::string_view name) { return is_name(name) && (next(), true); }
  void expect_op(std::string_view op);
  std::string expect_name();
  void expect(Token::Kind kind, std::string_view wanted);
  template <class... Parts>
  [[noreturn]] void wrong(const Parts&... parts) const {
    fail("line ", now().line, ": ", parts...);
  }
  std::string found() const;

  NodePtr make(Kind kind, int line) const;
  NodePtr finished(NodePtr node) const;  // its depth is known
  NodePtr two(Kind kind, int line, NodePtr left, NodePtr right) const;
  int name_number(const std::string& name);

  // Statements (parse_statements.cpp)
  std::vector<NodePtr> statements(const Ends& ends);
  std::vector<NodePtr> block(const Ends& ends);  // after the tag's words: its end, then the body
  NodePtr statement();
  NodePtr if_statement();
  NodePtr for_statement();
  NodePtr set_statement();
  NodePtr macro_statement();
  NodePtr call_statement();
  NodePtr filter_statement();
  NodePtr with_statement();
  NodePtr print_statement();
  void signature(Node& node);
  NodePtr name_target();

  // Expressions (parser.cpp)
  struct TupleRules {
    bool target = false, choices = true, empty = false;
  };
  NodePtr tuple(TupleRules rules);
  NodePtr target();
  NodePtr expression();
  NodePtr choice();
  NodePtr or_expression();
  NodePtr and_expression();
  NodePtr not_expression();
  NodePtr comparison();
  NodePtr sum();
  NodePtr concatenation();
  NodePtr product();
  NodePtr power();
  NodePtr unary(bool filters);
  NodePtr primary(bool target);
  NodePtr list();
  NodePtr dict();
  // What follows a value (parse_postfix.cpp)
  NodePtr postfix(NodePtr node);
  NodePtr filters(NodePtr node);
  NodePtr filter(NodePtr node, bool inline_start);
  NodePtr test(NodePtr node);
  NodePtr subscript(NodePtr node);
  NodePtr subscribed();
  NodePtr call(NodePtr node);
  void arguments(Node& node);

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nested_ = 0, blocks_ = 0;
  std::unordered_map<std::string, int> numbers_;
  std::vector<std::string> names_;
};

}  // namespace jogak::jinja
