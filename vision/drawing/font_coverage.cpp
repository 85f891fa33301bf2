#include "vision/drawing/font_coverage.h"

#include <hb.h>

#include "vision/drawing/owned.h"
#include "vision/drawing/text_painter.h"

namespace saccade {

std::set<std::string> missing_glyphs(const std::filesystem::path& font, const std::string& text) {
  std::set<std::string> out;
  const std::filesystem::path file = find_font(font);
  if (file.empty()) return out;
  const Owned<hb_blob_t, hb_blob_destroy> bytes(hb_blob_create_from_file(file.c_str()));
  const Owned<hb_face_t, hb_face_destroy> face(hb_face_create(bytes.get(), 0));
  if (hb_face_get_glyph_count(face.get()) == 0) return out;
  const Owned<hb_font_t, hb_font_destroy> glyphs(hb_font_create(face.get()));
  const std::string clean = printable(text);
  const Owned<hb_buffer_t, hb_buffer_destroy> buffer(hb_buffer_create());
  hb_buffer_add_utf8(buffer.get(), clean.data(), static_cast<int>(clean.size()), 0, -1);
  unsigned count = 0;
  const hb_glyph_info_t* characters = hb_buffer_get_glyph_infos(buffer.get(), &count);
  for (unsigned i = 0; i < count; ++i) {
    hb_codepoint_t glyph = 0;
    if (hb_font_get_nominal_glyph(glyphs.get(), characters[i].codepoint, &glyph)) continue;
    const std::size_t begin = characters[i].cluster;
    const std::size_t end = i + 1 < count ? characters[i + 1].cluster : clean.size();
    out.insert(clean.substr(begin, end - begin));
  }
  return out;
}

}  // namespace saccade
