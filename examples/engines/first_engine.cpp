// An engine in C++, with no library: it plays the last legal move.
//
//     c++ -O2 -o first_engine examples/engines/first_engine.cpp
//     starspiel tournament pig --agents random exec:./first_engine
//
// The protocol is on one page, docs/protocol.md. This engine finds the little that it needs in each line; one
// that plays well keeps the position from the events, and takes a library for JSON.

#include <iostream>
#include <string>

// The text after `"key":`, up to the end of the line; empty where there is no such key.
static std::string After(const std::string& line, const std::string& key) {
  const std::string quoted = "\"" + key + "\":";
  const size_t at = line.find(quoted);
  return at == std::string::npos ? "" : line.substr(at + quoted.size());
}

// The last number of the list that `text` begins with.
static long LastOf(const std::string& text) {
  const std::string list = text.substr(0, text.find(']'));
  return std::stol(list.substr(list.find_last_of(",[") + 1));
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::string type = After(line, "type");
    if (type.rfind("\"hello\"", 0) == 0) {
      std::cout << R"({"type":"hello","protocol":1,"name":"first engine in C++"})" << std::endl;
    } else if (type.rfind("\"new_game\"", 0) == 0) {
      std::cout << R"({"type":"ready"})" << std::endl;
    } else if (type.rfind("\"move\"", 0) == 0) {
      std::cout << R"({"type":"move","action":)" << LastOf(After(line, "legal")) << "}" << std::endl;
    } else if (type.rfind("\"quit\"", 0) == 0) {
      break;
    }
  }
}
