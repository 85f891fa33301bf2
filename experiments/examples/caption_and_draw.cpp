// Captions a picture, prints the region with the largest attention weight of each word, draws the
// maps.
#include <saccade/captioning/captioner.h>
#include <saccade/core/base/error.h>

#include <algorithm>
#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 4) throw saccade::UsageError("give RUN PICTURE DRAWING.png");
  const saccade::Captioner captioner(argv[1], {.max_length = 20, .threads = 2});
  const saccade::Image picture = saccade::read_image(argv[2]);
  const saccade::Caption caption = captioner.caption(picture);
  std::cout << caption.text << "\n";
  if (!captioner.has_attention()) return 0;
  for (const saccade::CaptionWord& word : caption.words) {
    const saccade::AttentionMap& map = word.map;
    const auto largest = std::max_element(map.weights.begin(), map.weights.end());
    std::cout << word.text << ": " << map.layout.region_name(largest - map.weights.begin())
              << ", weight " << *largest << "\n";
  }
  saccade::write_png(argv[3], captioner.draw(caption, picture,
                                             {.style = saccade::OverlayStyle::kBlend,
                                              .colours = saccade::ColourMap::kViridis}));
} catch (const saccade::Error& error) {
  std::cerr << "error: " << error.what() << "\n";
  return static_cast<int>(error.code());
}
