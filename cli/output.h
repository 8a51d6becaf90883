// Standard output: results and nothing else. A full disk is an error; a reader that went away
// (`| head`) is not.
#pragma once

#include <string>
#include <string_view>

namespace jogak::cli {

struct ReaderGone {};  // thrown when nobody reads any more

class Output {
 public:
  void write(std::string_view text);  // kept until there is enough of it
  void line(std::string_view text);   // with a newline
  void flush();                       // IoError, or ReaderGone

  static bool colour();
  static int columns();

 private:
  std::string held_;
};

}  // namespace jogak::cli
