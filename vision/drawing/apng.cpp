#include "vision/drawing/apng.h"

#include <zlib.h>

#include <cstring>
#include <string_view>

#include "core/base/error.h"

namespace saccade {

namespace {

// Sizes in bytes; kChunkFrame is that of a chunk's length, kind and CRC.
constexpr std::size_t kSignature = 8, kChunkFrame = 12;

void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

void append_chunk(std::string& out, std::string_view kind, std::string_view data) {
  append_number(out, data.size(), 4);
  const std::size_t checked = out.size();
  out += kind;
  out += data;
  const auto* bytes = reinterpret_cast<const Bytef*>(out.data() + checked);
  append_number(out, crc32(0, bytes, static_cast<uInt>(out.size() - checked)), 4);
}

// The data of all chunks of one kind in a PNG file, joined.
std::string chunks(std::string_view png, std::string_view kind) {
  std::string out;
  for (std::size_t at = kSignature; at + kChunkFrame <= png.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i)
      length = length << 8 | static_cast<unsigned char>(png[at + i]);
    if (png.substr(at + 4, 4) == kind) out += png.substr(at + 8, length);
    at += kChunkFrame + length;
  }
  return out;
}

// The data of an fcTL chunk for a frame that replaces the whole previous picture.
std::string frame_control(std::uint32_t number, const Frame& frame) {
  std::string out;
  append_number(out, number, 4);
  append_number(out, static_cast<std::uint64_t>(frame.picture.width), 4);
  append_number(out, static_cast<std::uint64_t>(frame.picture.height), 4);
  append_number(out, 0, 8);  // its position
  append_number(out, static_cast<std::uint64_t>(frame.milliseconds), 2);
  append_number(out, 1000, 2);
  append_number(out, 0, 2);  // no disposal of the frame, no blending
  return out;
}

}  // namespace

std::string encode_apng(std::span<const Frame> frames) {
  SACCADE_CHECK(!frames.empty(), "[apng] there is no frame");
  std::string out;
  std::uint32_t number = 0;  // fcTL and fdAT share one sequence of numbers
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Image& picture = frames[i].picture;
    SACCADE_CHECK(picture.height == frames[0].picture.height &&
                      picture.width == frames[0].picture.width && frames[i].milliseconds >= 0 &&
                      frames[i].milliseconds <= 0xFFFF,
                  "[apng] frame ", i, " has another size than the first, or a time out of range");
    const std::vector<std::uint8_t> bytes = encode_png(picture);
    const std::string_view png(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (i == 0) {
      out = png.substr(0, kSignature);
      append_chunk(out, "IHDR", chunks(png, "IHDR"));
      std::string control;
      append_number(control, frames.size(), 4);
      append_number(control, 0, 4);  // it plays without end
      append_chunk(out, "acTL", control);
    }
    append_chunk(out, "fcTL", frame_control(number++, frames[i]));
    std::string data;
    if (i > 0) append_number(data, number++, 4);
    append_chunk(out, i == 0 ? "IDAT" : "fdAT", data + chunks(png, "IDAT"));
  }
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace saccade
