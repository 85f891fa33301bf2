// json_value FILE POINTER: prints the value that a JSON pointer such as /regimes/0/name points to.
// With "#" at the end of POINTER, it prints the size of that array or object instead. Exits with 1
// if FILE is not JSON or has no such value. FILE.jsonl is read as an array of its lines.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

nlohmann::json read(const std::string& path) {
  std::ifstream in(path);
  if (!path.ends_with(".jsonl")) return nlohmann::json::parse(in);
  nlohmann::json lines = nlohmann::json::array();
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  try {
    std::string pointer = argv[2];
    const bool size = pointer.ends_with("#");
    if (size) pointer.pop_back();
    const nlohmann::json json = read(argv[1]);
    const nlohmann::json& value = json.at(nlohmann::json::json_pointer(pointer));
    if (size) {
      std::cout << value.size() << "\n";
    } else if (value.is_string()) {
      std::cout << value.get<std::string>() << "\n";
    } else {
      std::cout << value.dump() << "\n";
    }
  } catch (const nlohmann::json::exception& error) {
    std::cerr << argv[1] << " " << argv[2] << ": " << error.what() << "\n";
    return 1;
  }
  return 0;
}
