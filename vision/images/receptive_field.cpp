#include "vision/images/receptive_field.h"

namespace saccade {

Rect field_box(const Geometry& geometry, const ReceptiveField& field, const GridSize& grid,
               Index cell) {
  const auto start = [](const FieldAxis& axis, Index i) {
    return static_cast<double>(axis.first + i * axis.step);
  };
  const auto width = static_cast<double>(field.cols.extent);
  const double plain = start(field.cols, cell % grid.cols);
  const double left =
      geometry.mirrored ? static_cast<double>(geometry.input_width) - plain - width : plain;
  const double across = geometry.seen.width / static_cast<double>(geometry.input_width);
  const double down = geometry.seen.height / static_cast<double>(geometry.input_height);
  return {geometry.seen.x + left * across,
          geometry.seen.y + start(field.rows, cell / grid.cols) * down, width * across,
          static_cast<double>(field.rows.extent) * down};
}

}  // namespace saccade
