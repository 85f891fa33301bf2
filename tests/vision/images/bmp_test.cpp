// BMP files of every kind are read to the bits of OpenCV, and what cannot be read is refused.
#include <array>
#include <opencv2/imgcodecs.hpp>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/images/same_bits.h"
#include "tests/vision/pictures.h"
#include "vision/images/decode_bmp.h"

namespace saccade::bmp_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The same file with a number of four bytes at `at`.
Bytes with(Bytes file, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  return file;
}

// What the reader says against a file; "" where it reads it.
std::string refusal(const Bytes& bytes) {
  return test::message_of<DataError>([&] { decode_image(bytes, "photo"); });
}

struct BmpKind {
  Index header;  // its bytes, behind those of the file header
  int bits, coding = 0;
  Index colours = 0;                        // of the palette; 0: all
  std::array<std::uint32_t, 3> masks = {};  // red, green, blue
};

// A BMP file of random bytes, with a gap in front of its rows; a negative height means that the top
// row comes first.
Bytes random_bmp(const BmpKind& kind, Index width, Index height, Random& random) {
  const bool old = kind.header == 12, masked = kind.coding == 3;
  Bytes file(static_cast<std::size_t>(std::max<Index>(14 + kind.header, masked ? 66 : 0)));
  const auto put = [&](std::size_t at, std::int64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      file[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  };
  put(0, 'B' | 'M' << 8, 2);
  put(14, kind.header, 4);
  put(18, width, old ? 2 : 4);
  put(old ? 20 : 22, height, old ? 2 : 4);
  put(old ? 24 : 28, kind.bits, 2);
  if (!old) {
    put(30, kind.coding, 4);
    put(46, kind.colours, 4);
  }
  for (std::size_t c = 0; masked && c < 3; ++c) put(54 + 4 * c, kind.masks[c], 4);
  const auto add = [&](Index bytes) {
    for (Index i = 0; i < bytes; ++i) file.push_back(static_cast<std::uint8_t>(random.bits()));
  };
  if (kind.bits <= 8) add((kind.colours > 0 ? kind.colours : 1 << kind.bits) * (old ? 3 : 4));
  add(static_cast<Index>(random.below(40)));
  put(10, std::ssize(file), 4);
  add(std::abs(height) * ((width * kind.bits + 31) / 32 * 4));
  return file;
}

std::vector<BmpKind> bmp_kinds() {
  std::vector<BmpKind> kinds;
  for (const Index header : {12, 36, 40, 52, 64, 108, 124})
    for (const int bits : {1, 4, 8, 16, 24, 32})
      if (header != 12 || bits != 16) kinds.push_back({header, bits});
  for (const int bits : {1, 4, 8})
    for (const Index colours : {1, 2, 100, 256}) kinds.push_back({40, bits, 0, colours});
  kinds.push_back({40, 16, 3, 0, {0xF800, 0x7E0, 0x1F}});
  kinds.push_back({40, 16, 3, 0, {0x7C00, 0x3E0, 0x1F}});
  kinds.push_back({40, 32, 3, 0, {0xFF0000, 0xFF00, 0xFF}});
  for (const Index header : {52, 56, 108, 124})
    kinds.push_back({header, 32, 3, 0, {0xFF0000, 0xFF00, 0xFF}});
  return kinds;
}

TEST_CASE("every kind of BMP has the bits that OpenCV reads") {
  Random random({.seed = 9, .stream = Stream::kTest});
  for (const BmpKind& kind : bmp_kinds())
    for (const Index width : {1, 7, 64, 67})
      for (const Index height : {9, -9}) {
        if (kind.header == 12 && height < 0) continue;
        INFO("header " << kind.header << ", " << kind.bits << " bits, coding " << kind.coding
                       << ", colours " << kind.colours << ", mask " << kind.masks[0] << ", "
                       << width << "x" << height);
        Bytes bmp = random_bmp(kind, width, height, random);
        REQUIRE(same_bits(decode_bmp(bmp, {9, width}), cv::imdecode(bmp, cv::IMREAD_COLOR)));
        CHECK(decode_bmp(bmp, {width, 10}).empty());
        const BmpHead head = bmp_head(bmp);
        CHECK((head.complete && head.size == ImageSize{9, width}));
        bmp.pop_back();
        CHECK_FALSE(bmp_head(bmp).complete);
        CHECK(decode_bmp(bmp, {9, width}).empty());
      }
}

// OpenCV takes the bytes of such pixels for blue, green and red, whatever the masks say.
TEST_CASE("the colours of a BMP lie where its masks say") {
  Random random({.seed = 10, .stream = Stream::kTest});
  const std::uint32_t pixel = 0x9A4C7E35;
  struct Case {
    std::array<std::uint32_t, 3> masks;
    std::array<int, 3> colour;
  };
  for (const Index header : {40, 52, 56, 108, 124})
    for (const Case& one : {Case{{0xFF0000, 0xFF00, 0xFF}, {0x4C, 0x7E, 0x35}},
                            Case{{0xFF000000, 0xFF0000, 0xFF00}, {0x9A, 0x4C, 0x7E}},
                            Case{{0x3FF00000, 0xFFC00, 0x3FF}, {0x69, 0xC7, 0x8D}},
                            Case{{0xF, 0x70, 0x80000000}, {0x50, 0x60, 0x80}},
                            Case{{0xFF0000, 0, 0xFFFFFFFF}, {0x4C, 0, 0x9A}}}) {
      INFO("header " << header << ", red " << one.masks[0]);
      const Bytes bmp = random_bmp({header, 32, 3, 0, one.masks}, 1, 1, random);
      const Image image = decode_image(with(bmp, bmp.size() - 4, pixel), "a");
      for (std::size_t c = 0; c < 3; ++c) CHECK(int{image.rgb[c]} == one.colour[c]);
    }
}

TEST_CASE("a BMP that cannot be decoded is no picture of what stood in memory") {
  constexpr std::size_t kStart = 10, kHeader = 14, kWidth = 18, kHeight = 22, kBits = 28,
                        kCoding = 30, kUsedColours = 46, kColours = 54, kRows = 54 + 4 * 256;
  Bytes grey(kRows + 100 * 12, 7);
  std::fill_n(grey.begin(), kColours, 0);
  for (const auto& [at, value] :
       {std::pair(std::size_t{0}, 0x4D42U), std::pair(kStart, static_cast<unsigned>(kRows)),
        std::pair(kHeader, 40U), std::pair(kWidth, 10U), std::pair(kHeight, 100U),
        std::pair(kBits, 8U)})
    grey = with(grey, at, value);
  for (std::uint32_t i = 0; i < 256; ++i) grey = with(grey, kColours + 4 * i, 0x010101 * i);
  REQUIRE(refusal(grey) == "");
  CHECK(difference(decode_image(grey, "a"), Image(100, 10, 7)) == 0);
  CHECK(difference(decode_image(with(grey, kHeight, 0U - 100U), "a"), Image(100, 10, 7)) == 0);
  // Pixels of colours that the palette does not have.
  CHECK(difference(decode_image(with(grey, kUsedColours, 7), "a"), Image(100, 10, 0)) == 0);
  const auto refused = [&](auto at, const std::vector<std::uint32_t>& values) {
    for (const std::uint32_t value : values) {
      INFO(at << ", " << value);
      CHECK_THAT(refusal(with(grey, at, value)), Catch::StartsWith("photo: "));
    }
  };
  refused(kUsedColours, {0xFFFFFFFFU, 257U});
  refused(kCoding, {77U, 3U});
  refused(kHeader, {0U, 13U, 35U, 0x7FFFFFFFU, 0xFFFFFFFFU});
  refused(kWidth, {0U, 0U - 10U, 0x80000000U});
  refused(kHeight, {0U, 101U, 0x80000000U});
  refused(kBits, {0U, 2U, 64U, 0xFFFFU});
  refused(kStart, {0x80000000U, 0xFFFFFFFFU});
  for (const std::uint32_t runs : {1U, 2U})
    for (const std::size_t size : {grey.size(), grey.size() - 500}) {
      Bytes coded = with(grey, kCoding, runs);
      coded.resize(size);
      CHECK(refusal(coded) ==
            "photo: is a BMP file with run-length coding, which is not read; convert it to PNG");
    }
}

}  // namespace
}  // namespace saccade::bmp_test
