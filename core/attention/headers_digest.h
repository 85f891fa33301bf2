// The headers of the library, by which a plugin is known to fit (captioning/install).
#pragma once

namespace saccade {

// "saccade 0.1.0, headers 0123456789ab", which SACCADE_HEADERS of the installed plugin.h is, too.
extern const char* const kHeadersDigest;

}  // namespace saccade
