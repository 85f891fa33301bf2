// The file formats that attention pictures are written in.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class PictureFormat { kPng, kSvg, kPdf };
constexpr auto enum_table(PictureFormat) {
  return enum_rows<PictureFormat>(
      {{PictureFormat::kPng, "png", "pixels"},
       {PictureFormat::kSvg, "svg", "text, cells and lines as vectors, photos inside"},
       {PictureFormat::kPdf, "pdf", "the same for papers, with the font inside"}});
}

}  // namespace saccade
