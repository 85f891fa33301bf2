// JPEG and PNG files are read and written to the bits of OpenCV, and what libjpeg and libpng say of
// damaged ones becomes an error or a warning. (Pictures that are made to harm:
// hostile_pictures_test.cpp.)
#include <fcntl.h>
#include <unistd.h>

// jpeglib.h needs FILE and std::size_t in front of it.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on
#include <png.h>

#include <cstdlib>
#include <iterator>
#include <opencv2/imgcodecs.hpp>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/images/same_bits.h"
#include "tests/vision/pictures.h"
#include "vision/images/jpeg_codec.h"
#include "vision/images/png_codec.h"

namespace saccade::decoders_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// What is written to stderr, by whomever, while it lives.
class StderrText {
 public:
  StderrText() : before_(::dup(STDERR_FILENO)) {
    std::fflush(stderr);
    const int file =
        ::open((folder_ / "err").c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(file >= 0);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~StderrText() {
    std::fflush(stderr);
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  std::string text() const {
    std::fflush(stderr);
    std::ifstream in(folder_ / "err");
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  test::TempFolder folder_{"stderr"};
  int before_;
};

struct PngKind {
  int colours, bits;
  bool interlaced, clear;
};

// A PNG file of random bytes, a third of which are equal to the colour that tRNS makes clear.
Bytes random_png(const PngKind& kind, png_uint_32 width, png_uint_32 height, Random& random) {
  Bytes file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp to, png_bytep bytes, std::size_t count) {
        auto& out = *static_cast<Bytes*>(png_get_io_ptr(to));
        out.insert(out.end(), bytes, bytes + count);
      },
      nullptr);
  png_set_IHDR(png, info, width, height, kind.bits, kind.colours,
               kind.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
  const auto byte = [&] { return static_cast<std::uint8_t>(random.bits()); };
  if (kind.colours == PNG_COLOR_TYPE_PALETTE) {
    std::vector<png_color> palette(std::size_t{1} << kind.bits);
    for (png_color& colour : palette) colour = {byte(), byte(), byte()};
    png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
    Bytes alpha((palette.size() + 1) / 2);
    for (std::uint8_t& a : alpha) a = byte();
    if (kind.clear) png_set_tRNS(png, info, alpha.data(), static_cast<int>(alpha.size()), nullptr);
  } else if (kind.clear) {
    const png_color_16 colour{.index = 0, .red = 3, .green = 3, .blue = 3, .gray = 1};
    png_set_tRNS(png, info, nullptr, 1, &colour);
  }
  png_write_info(png, info);
  std::vector<Bytes> rows(height, Bytes(png_get_rowbytes(png, info)));
  std::vector<png_bytep> pointers;
  for (Bytes& row : rows) {
    for (std::uint8_t& b : row) b = random.below(3) == 0 ? std::uint8_t{3} : byte();
    pointers.push_back(row.data());
  }
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

struct JpegKind {
  J_COLOR_SPACE from, stored;
  int channels, sampling, quality;
  bool progressive;
};

// A JPEG file of slopes with noise.
Bytes random_jpeg(const JpegKind& kind, Index width, Index height, Random& random) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = kind.channels;
  info.in_color_space = kind.from;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, kind.stored);
  jpeg_set_quality(&info, kind.quality, TRUE);
  if (kind.progressive) jpeg_simple_progression(&info);
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = kind.sampling;
  info.restart_interval = static_cast<unsigned>(random.below(3));
  jpeg_start_compress(&info, TRUE);
  Bytes row(static_cast<std::size_t>(width * kind.channels));
  for (Index y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < row.size(); ++x)
      row[x] =
          static_cast<std::uint8_t>(3 * static_cast<std::size_t>(y) + 2 * x + random.below(40));
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  Bytes file(memory, memory + size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  return file;
}

// PNG files whose checksums are right, and whose compressed pixels are not.
Bytes damaged_png() {
  const Bytes whole = encode_png(test_picture(8, 8));
  // The last bytes of the only IDAT chunk are Adler-32 of the pixels and the chunk's CRC; IEND
  // has 12.
  Bytes bytes = whole;
  const std::size_t crc = bytes.size() - 12 - 4;
  bytes[crc - 1] ^= 1;
  std::size_t begin = 8;
  while (std::string(bytes.begin() + static_cast<long>(begin) + 4,
                     bytes.begin() + static_cast<long>(begin) + 8) != "IDAT")
    begin += 12 + (static_cast<std::size_t>(bytes[begin + 2]) << 8 | bytes[begin + 3]);
  std::uint32_t c = 0xFFFFFFFFU;
  for (std::size_t i = begin + 4; i < crc; ++i) {
    c ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
  }
  c = ~c;
  for (std::size_t i = 0; i < 4; ++i)
    bytes[crc + i] = static_cast<std::uint8_t>(c >> (24 - 8 * static_cast<int>(i)));
  return bytes;
}

// A JPEG file with bytes that belong to nothing in front of its end.
Bytes damaged_jpeg() {
  Bytes bytes;
  cv::imencode(".jpg", cv::Mat(24, 32, CV_8UC3, cv::Scalar(40, 90, 200)), bytes);
  const Bytes more(64, 'x');
  bytes.insert(bytes.end() - 2, more.begin(), more.end());
  return bytes;
}

TEST_CASE("every kind of PNG has the bits that OpenCV reads") {
  Random random({.seed = 3, .stream = Stream::kTest});
  int kinds = 0;
  for (const int colours : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_PALETTE,
                            PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB_ALPHA})
    for (const int bits : {1, 2, 4, 8, 16})
      for (const bool interlaced : {false, true})
        for (const bool clear : {false, true}) {
          const bool palette = colours == PNG_COLOR_TYPE_PALETTE;
          const bool fits = colours == PNG_COLOR_TYPE_GRAY || (palette ? bits < 16 : bits >= 8);
          if (!fits || (clear && (colours & PNG_COLOR_MASK_ALPHA) != 0)) continue;
          INFO("colours " << colours << ", " << bits << " bits, interlaced " << interlaced
                          << ", clear " << clear);
          for (const png_uint_32 width : {1U, 7U, 64U}) {
            const Bytes png = random_png({colours, bits, interlaced, clear}, width, 9, random);
            std::optional<std::string> complaint;
            const cv::Mat got = decode_png(png, {9, static_cast<Index>(width)}, complaint);
            REQUIRE_FALSE(complaint);
            REQUIRE(same_bits(got, cv::imdecode(png, cv::IMREAD_UNCHANGED)));
          }
          ++kinds;
        }
  CHECK(kinds == 52);
}

TEST_CASE("every kind of JPEG has the bits that OpenCV reads") {
  Random random({.seed = 4, .stream = Stream::kTest});
  for (const bool progressive : {false, true})
    for (const int quality : {30, 95})
      for (const Index width : {Index{1}, Index{61}, Index{200}})
        for (const JpegKind& kind :
             {JpegKind{JCS_RGB, JCS_YCbCr, 3, 1, quality, progressive},
              JpegKind{JCS_RGB, JCS_YCbCr, 3, 2, quality, progressive},
              JpegKind{JCS_RGB, JCS_RGB, 3, 1, quality, progressive},
              JpegKind{JCS_GRAYSCALE, JCS_GRAYSCALE, 1, 1, quality, progressive},
              JpegKind{JCS_CMYK, JCS_CMYK, 4, 1, quality, progressive},
              JpegKind{JCS_CMYK, JCS_YCCK, 4, 2, quality, progressive}}) {
          INFO("stored as " << kind.stored << ", quality " << quality << ", width " << width);
          const Bytes jpeg = random_jpeg(kind, width, width / 2 + 7, random);
          std::optional<std::string> complaint;
          const cv::Mat got = decode_jpeg(jpeg, {width / 2 + 7, width}, complaint);
          REQUIRE_FALSE(complaint);
          REQUIRE(same_bits(got, cv::imdecode(jpeg, cv::IMREAD_UNCHANGED)));
        }
}

Image random_image(Index height, Index width, Random& random) {
  Image image(height, width);
  for (std::uint8_t& byte : image.rgb) byte = static_cast<std::uint8_t>(random.bits());
  return image;
}

// The picture in OpenCV's order of channels, with the alpha where there is some.
cv::Mat opencv_of(const Image& image, const Bytes& alpha = {}) {
  cv::Mat out(static_cast<int>(image.height), static_cast<int>(image.width),
              alpha.empty() ? CV_8UC3 : CV_8UC4);
  std::uint8_t* to = out.data;
  for (std::size_t i = 0; i < image.rgb.size() / 3; ++i) {
    for (std::size_t c = 3; c-- > 0;) *to++ = image.rgb[3 * i + c];
    if (!alpha.empty()) *to++ = alpha[i];
  }
  return out;
}

TEST_CASE("PNG and JPEG files are written byte by byte as OpenCV writes them") {
  Random random({.seed = 7, .stream = Stream::kTest});
  for (const auto& [height, width] :
       {std::pair(1, 1), {7, 5}, {1, 300}, {300, 1}, {64, 64}, {211, 173}, {480, 640}})
    for (const Image& image : {test_picture(height, width), random_image(height, width, random),
                               Image(height, width, 77)}) {
      INFO(height << "x" << width);
      Bytes opencv;
      cv::imencode(".png", opencv_of(image), opencv);
      CHECK(encode_png(image) == opencv);
      Bytes alpha(image.rgb.size() / 3), rgba;
      for (std::size_t i = 0; i < alpha.size(); ++i) {
        alpha[i] = static_cast<std::uint8_t>(random.bits());
        rgba.insert(rgba.end(), image.rgb.data() + 3 * i, image.rgb.data() + 3 * i + 3);
        rgba.push_back(alpha[i]);
      }
      cv::imencode(".png", opencv_of(image, alpha), opencv);
      CHECK(encode_png(rgba, {height, width}, 4) == opencv);
      for (const int quality : {1, 50, 85, 92, 100}) {
        INFO("quality " << quality);
        cv::imencode(".jpg", opencv_of(image), opencv, {cv::IMWRITE_JPEG_QUALITY, quality});
        CHECK(encode_jpeg(image, quality) == opencv);
      }
    }
}

TEST_CASE("a picture that no file of its format can hold is an error, and nothing is printed") {
  const StderrText printed;
  for (const Image& image : {Image(1, 1'000'001), Image(1'000'001, 1)}) {
    CHECK_THROWS_WITH(encode_png(image), Catch::Contains(" cannot be written as PNG (") &&
                                             Catch::EndsWith("); make it smaller"));
    CHECK_THROWS_WITH(encode_jpeg(image, 90), Catch::Contains(" cannot be written as JPEG (") &&
                                                  Catch::EndsWith("); make it smaller"));
  }
  CHECK_THROWS_AS(encode_png(Image(2, 2).rgb, {2, 3}, 3), ShapeError);
  CHECK_THROWS_AS(encode_jpeg(Image(2, 65'501), 90), DataError);
  CHECK(printed.text().empty());
}

TEST_CASE("a damaged PNG is an error with libpng's reason, and nothing is printed") {
  const StderrText printed;
  CHECK_THROWS_WITH(decode_image(damaged_png(), "a.png"),
                    Catch::StartsWith("a.png: the image is damaged") &&
                        Catch::Contains("(IDAT: incorrect data check)"));
  CHECK(printed.text().empty());
}

TEST_CASE("a damaged JPEG that can be decoded gives one warning, and nothing is printed") {
  const StderrText printed;
  std::vector<std::string> lines;
  const auto listen = [&](Severity severity, const std::string& text) {
    CHECK(severity == Severity::kWarning);
    lines.push_back(text);
  };
  const Image image = decode_image(damaged_jpeg(), "a.jpg", listen);
  CHECK(image.height == 24);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0],
             Catch::StartsWith("a.jpg: ") && Catch::Contains("extraneous bytes before marker"));
  CHECK(lines[0].find('\n') == std::string::npos);
  decode_image(damaged_jpeg(), "a.jpg");
  CHECK(printed.text().empty());
}

TEST_CASE("what OpenCV's decoders print of these files would be seen") {
  const StderrText printed;
  cv::imdecode(damaged_png(), cv::IMREAD_UNCHANGED);
  cv::imdecode(damaged_jpeg(), cv::IMREAD_UNCHANGED);
  CHECK_THAT(printed.text(), Catch::Contains("IDAT") && Catch::Contains("extraneous bytes"));
}

TEST_CASE("a JPEG whose data end within the picture is refused") {
  Random random({.seed = 5, .stream = Stream::kTest});
  Bytes jpeg = random_jpeg({JCS_RGB, JCS_YCbCr, 3, 1, 90, false}, 64, 48, random);
  jpeg.resize(jpeg.size() / 2);
  std::optional<std::string> complaint;
  CHECK(decode_jpeg(jpeg, {48, 64}, complaint).empty());
  CHECK(complaint == kJpegEnds);
}

TEST_CASE("a JPEG that cannot be read says why, in libjpeg's words") {
  const auto refusal = [](const Bytes& bytes) {
    return test::message_of<DataError>([&] { decode_image(bytes, "a.jpg"); });
  };
  Random random({.seed = 6, .stream = Stream::kTest});
  const Bytes whole = random_jpeg({JCS_RGB, JCS_YCbCr, 3, 1, 90, false}, 64, 48, random);
  for (const std::size_t size :
       {whole.size() - 1, whole.size() / 2, std::size_t{100}, std::size_t{5}}) {
    INFO("cut to " << size);
    CHECK_THAT(refusal(Bytes(whole.begin(), whole.begin() + static_cast<long>(size))),
               Catch::StartsWith("a.jpg: is cut short (Premature end of JPEG file); "));
  }
  // The place of a marker's second byte.
  const auto at = [&](std::uint8_t marker) {
    for (std::size_t i = 2; i + 1 < whole.size(); ++i)
      if (whole[i] == 0xFF && whole[i + 1] == marker) return i + 1;
    return std::size_t{0};
  };
  const auto changed = [&](std::size_t place, std::uint8_t value) {
    REQUIRE(place > 2);
    Bytes bytes = whole;
    bytes[place] = value;
    return refusal(bytes);
  };
  const std::size_t frame = at(0xC0), table = at(0xDB), huffman = at(0xC4), scan = at(0xDA);
  for (const auto& [said, reason] :
       {std::pair(changed(frame, 0xC3), "Unsupported JPEG process: SOF type 0xc3"),
        std::pair(changed(frame + 3, 13), "Unsupported JPEG data precision 13"),
        std::pair(changed(frame + 8, 9), "Bogus marker length"),
        std::pair(changed(table + 3, 0x0F), "Bogus DQT index 15"),
        std::pair(changed(huffman + 3, 0x0F), "Bogus DHT index 15"),
        std::pair(changed(scan + 4, 9), "Invalid component ID 9"),
        std::pair(changed(frame, 0xFE), "")}) {
    INFO(reason);
    CHECK_THAT(said, Catch::StartsWith("a.jpg: ") && Catch::Contains(reason) &&
                         Catch::Contains(" damaged "));
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("a picture that went through a transfer of texts says so") {
  const Bytes png = encode_png(test_picture(8, 8)), jpeg = damaged_jpeg();
  // Replaces one text by another wherever it stands.
  const auto replaced = [](const Bytes& bytes, const std::string& from, const std::string& to) {
    std::string text(bytes.begin(), bytes.end());
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return Bytes(text.begin(), text.end());
  };
  const auto as_text = [](const Bytes& bytes, bool latin) {
    Bytes out;
    for (const std::uint8_t byte : bytes)
      if (byte < 0x80)
        out.push_back(byte);
      else if (latin)
        out.insert(out.end(), {static_cast<std::uint8_t>(0xC0 | byte >> 6),
                               static_cast<std::uint8_t>(0x80 | (byte & 0x3F))});
      else
        out.insert(out.end(), {0xEF, 0xBF, 0xBD});
    return out;
  };
  Bytes seven = png;
  for (std::uint8_t& byte : seven) byte &= 0x7F;
  const std::string ends = "was a PNG and was transferred as text: its line ends were changed (";
  for (const auto& [bytes, reason] : {
           std::pair(replaced(png, "\r\n", "\n"), ends + "CR LF became LF)"),
           std::pair(replaced(png, "\n", "\r\n"), ends + "LF became CR LF)"),
           std::pair(replaced(replaced(png, "\r\n", "\n"), "\n", "\r\n"), std::string()),
           std::pair(replaced(png, "\r", "\n"), ends + "CR became LF)"),
           std::pair(replaced(png, "\n", "\r"), ends + "LF became CR)"),
           std::pair(replaced(png, "\r\n", "\r"), ends + "CR LF became CR)"),
           std::pair(replaced(replaced(png, "\n", ""), "\r", ""), ends + "they were left out)"),
           std::pair(seven, std::string("transferred as text of 7 bits")),
           std::pair(as_text(png, true), std::string("written again as text in UTF-8")),
           std::pair(as_text(png, false), std::string("written again as text in UTF-8")),
           std::pair(as_text(jpeg, true), std::string("written again as text in UTF-8")),
           std::pair(as_text(jpeg, false), std::string("written again as text in UTF-8")),
       }) {
    INFO(reason);
    const std::string said = test::message_of<DataError>([&] { decode_image(bytes, "a.png"); });
    if (reason.empty())  // both ways: a CR LF stands again where one stood
      CHECK_THAT(said, Catch::Contains("LF became CR LF"));
    else
      CHECK_THAT(said, Catch::StartsWith("a.png: was a p") || Catch::StartsWith("a.png: was a P"));
    CHECK_THAT(said,
               Catch::Contains(reason) &&
                   Catch::EndsWith(", which destroys it; copy the original again, as binary data"));
  }
}

}  // namespace
}  // namespace saccade::decoders_test
