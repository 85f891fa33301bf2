#include "core/attention/normalizer.h"

#include "core/attention/normalizer_kind.h"
#include "core/ops/normalizers.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Normalizer normalizer_of(NormalizerKind kind) {
  switch (kind) {
#define SACCADE_NORMALIZER(name, enumerator, ...) \
  case NormalizerKind::enumerator:                \
    return ops::name;
#include "core/attention/normalizers.def"
#undef SACCADE_NORMALIZER
  }
  throw InternalError("unknown normalizer");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
