#include <utility>

#include "base/error.h"
#include "text/jinja/parser.h"

namespace jogak::jinja {

std::vector<NodePtr> Parser::statements(const Ends& ends) {
  std::vector<NodePtr> body;
  while (now().kind != Token::Kind::end) {
    const Token& token = now();
    if (token.kind == Token::Kind::data) {
      NodePtr node = make(Kind::data, token.line);
      node->value = std::string_view(next().text);
      body.push_back(std::move(node));
    } else if (token.kind == Token::Kind::print_begin) {
      NodePtr node = make(Kind::print, next().line);
      node->items.push_back(tuple({}));
      expect(Token::Kind::print_end, "'}}'");
      body.push_back(finished(std::move(node)));
    } else {
      next();  // {%
      for (const std::string_view end : ends)
        if (is_name(end)) return body;
      body.push_back(statement());
      expect(Token::Kind::block_end, "the end of the tag");
    }
  }
  if (!ends.empty()) wrong("the template ends, wanted '", ends.back(), "'");
  return body;
}

std::vector<NodePtr> Parser::block(const Ends& ends) {
  constexpr int kMaxBlocks = 64;
  skip_op(":");
  expect(Token::Kind::block_end, "the end of the tag");
  if (++blocks_ > kMaxBlocks) wrong("blocks stand more than ", kMaxBlocks, " deep in each other");
  std::vector<NodePtr> body = statements(ends);
  --blocks_;
  return body;
}

NodePtr Parser::statement() {
  if (is_name("if")) return if_statement();
  if (is_name("for")) return for_statement();
  if (is_name("set")) return set_statement();
  if (is_name("macro")) return macro_statement();
  if (is_name("call")) return call_statement();
  if (is_name("filter")) return filter_statement();
  if (is_name("with")) return with_statement();
  if (is_name("print")) return print_statement();
  if (is_name("break")) return make(Kind::break_, next().line);
  if (is_name("continue")) return make(Kind::continue_, next().line);
  if (is_name("generation")) {
    NodePtr node = make(Kind::generation, next().line);
    node->body = block({"endgeneration"});
    next();
    return finished(std::move(node));
  }
  wrong("the tag ", found(), " is not supported");
}

NodePtr Parser::if_statement() {
  NodePtr out = make(Kind::if_, next().line);
  Node* branch = out.get();
  while (true) {
    branch->condition = tuple({.choices = false});
    branch->body = block({"elif", "else", "endif"});
    if (skip_name("elif")) {
      out->items.push_back(make(Kind::if_, now().line));
      branch = out->items.back().get();
      continue;
    }
    if (skip_name("else")) {
      out->other = block({"endif"});
    }
    next();  // endif
    break;
  }
  for (NodePtr& item : out->items) item = finished(std::move(item));
  return finished(std::move(out));
}

NodePtr Parser::for_statement() {
  NodePtr out = make(Kind::for_, next().line);
  out->target = target();
  if (!skip_name("in")) wrong("found ", found(), ", wanted 'in'");
  out->from = tuple({.choices = false});
  if (skip_name("if")) out->condition = expression();
  if (is_name("recursive")) wrong("recursive loops are not supported");
  out->body = block({"endfor", "else"});
  if (skip_name("else")) out->other = block({"endfor"});
  next();  // endfor
  return finished(std::move(out));
}

NodePtr Parser::set_statement() {
  NodePtr out = make(Kind::set, next().line);
  out->target = target();
  if (skip_op("=")) {
    out->from = tuple({});
    return finished(std::move(out));
  }
  out->kind = Kind::set_block;
  if (is_op("|")) out->from = filter(nullptr, false);
  out->body = block({"endset"});
  next();
  return finished(std::move(out));
}

NodePtr Parser::name_target() {
  NodePtr out = make(Kind::name, now().line);
  out->name = name_number(expect_name());
  return out;
}

void Parser::signature(Node& node) {
  expect_op("(");
  while (!is_op(")")) {
    if (!node.items.empty()) expect_op(",");
    node.items.push_back(name_target());
    const std::string& name = names_[static_cast<size_t>(node.items.back()->name)];
    if (name == "caller" || name == "kwargs" || name == "varargs")
      wrong("a parameter called '", name, "' is not supported");
    if (skip_op("="))
      node.named.emplace_back(name, expression());
    else if (!node.named.empty())
      wrong("a parameter without a default after one with it");
  }
  expect_op(")");
}

NodePtr Parser::macro_statement() {
  NodePtr out = make(Kind::macro, next().line);
  out->target = name_target();
  out->text = names_[static_cast<size_t>(out->target->name)];
  signature(*out);
  out->body = block({"endmacro"});
  next();
  return finished(std::move(out));
}

NodePtr Parser::call_statement() {
  NodePtr out = make(Kind::call_block, next().line);
  out->text = "caller";
  if (is_op("(")) signature(*out);
  out->from = expression();
  if (out->from->kind != Kind::call) wrong("found no call, wanted one after 'call'");
  out->body = block({"endcall"});
  next();
  return finished(std::move(out));
}

NodePtr Parser::filter_statement() {
  NodePtr out = make(Kind::filter_block, next().line);
  out->from = filter(nullptr, true);
  out->body = block({"endfilter"});
  next();
  return finished(std::move(out));
}

NodePtr Parser::with_statement() {
  NodePtr out = make(Kind::with, next().line);
  while (now().kind != Token::Kind::block_end) {
    if (!out->items.empty()) expect_op(",");
    out->items.push_back(target());
    expect_op("=");
    out->other.push_back(expression());
  }
  out->body = block({"endwith"});
  next();
  return finished(std::move(out));
}

NodePtr Parser::print_statement() {
  NodePtr out = make(Kind::print, next().line);
  while (now().kind != Token::Kind::block_end) {
    if (!out->items.empty()) expect_op(",");
    out->items.push_back(expression());
  }
  return finished(std::move(out));
}

}  // namespace jogak::jinja
