// Writes the page of photos without its data, which stand for {data}: write_page FILE, when saccade
// is built. The Python package fills in captions.
#include <fstream>

#include "experiments/report/report_page.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream out(argv[1], std::ios::binary);
  out << saccade::report_page("{data}");
  return out.flush() ? 0 : 5;
}
