// Captions a picture, prints the cell with the largest attention weight of each word, draws the
// maps.
#include <saccade/captioning/captioner.h>
#include <saccade/core/base/error.h>

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
    saccade::Index row = 0, column = 0;  // the cell with the largest weight
    for (saccade::Index r = 0; r < map.grid.rows; ++r)
      for (saccade::Index c = 0; c < map.grid.cols; ++c)
        if (map.at(r, c) > map.at(row, column)) row = r, column = c;
    std::cout << word.text << ": row " << row << ", column " << column << ", weight "
              << map.at(row, column) << "\n";
  }
  saccade::write_png(argv[3], captioner.draw(caption, picture,
                                             {.style = saccade::OverlayStyle::kBlend,
                                              .colours = saccade::ColourMap::kViridis}));
} catch (const saccade::Error& error) {
  std::cerr << "error: " << error.what() << "\n";
  return static_cast<int>(error.code());
}
