// The page, as the build made it of web/: part of the program, so that there is nothing to install.
#include "server/service.h"

#ifdef JOGAK_PAGE_DIR

// clang-format off
#define JOGAK_EMBED(name, file)                                            \
  asm(".section .rodata\n"                                                 \
      ".global jogak_page_" #name "\n.balign 16\n"                         \
      "jogak_page_" #name ":\n.incbin \"" JOGAK_PAGE_DIR "/" file "\"\n"   \
      ".global jogak_page_" #name "_end\njogak_page_" #name "_end:\n"      \
      ".byte 0\n.previous\n");                                             \
  extern "C" const char jogak_page_##name[], jogak_page_##name##_end[]
// clang-format on

JOGAK_EMBED(html, "index.html");
JOGAK_EMBED(js, "page.js");
JOGAK_EMBED(css, "page.css");
JOGAK_EMBED(icon, "icon.svg");

#endif

namespace jogak::server {
namespace {

// Nothing but what this server sends itself; pictures may also be made by the page.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

void add(Routes& routes, const char* path, const char* type, std::string_view bytes) {
  routes.add({.path = path,
              .handle =
                  [type, bytes](const Request&, Work&) {
                    return Reply{.type = type,
                                 .body = std::string(bytes),
                                 .headers = {{"Content-Security-Policy", kPolicy},
                                             {"Cache-Control", "no-cache"}}};
                  },
              .open = true,
              .quick = true});
}

}  // namespace

#ifdef JOGAK_PAGE_DIR

void add_page_routes(Routes& routes) {
  const auto between = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<size_t>(end - begin));
  };
  add(routes, "/", "text/html; charset=utf-8", between(jogak_page_html, jogak_page_html_end));
  add(routes, "/page.js", "text/javascript; charset=utf-8",
      between(jogak_page_js, jogak_page_js_end));
  add(routes, "/page.css", "text/css; charset=utf-8", between(jogak_page_css, jogak_page_css_end));
  add(routes, "/icon.svg", "image/svg+xml", between(jogak_page_icon, jogak_page_icon_end));
}

#else

void add_page_routes(Routes& routes) {
  add(routes, "/", "text/html; charset=utf-8",
      "<!doctype html><title>jogak</title><p>This jogak was built without its page: esbuild, "
      "d3-scale or d3-shape was missing. The API under /api is here.");
}

#endif

}  // namespace jogak::server
