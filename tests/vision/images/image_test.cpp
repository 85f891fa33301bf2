// Images are read as a person sees them, and files that cannot be read are refused with a reason.
#include "vision/images/image.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/picture_names.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/images/picture_folder.h"
#include "vision/images/png_chunks.h"

namespace saccade::image_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes encode(const char* suffix, const cv::Mat& bgr) {
  Bytes bytes;
  cv::imencode(suffix, bgr, bytes);
  return bytes;
}

cv::Mat bgr_of(const Image& image) {
  cv::Mat rgb(static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC3,
              const_cast<std::uint8_t*>(image.rgb.data()));
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  return bgr;
}

void append(Bytes& to, std::initializer_list<int> values) {
  for (const int value : values) to.push_back(static_cast<std::uint8_t>(value));
}

// A TIFF structure that holds nothing but an orientation tag, as in EXIF.
Bytes exif_block(int orientation, bool little) {
  const int tag = 0x0112, kind = 3, last = orientation;
  Bytes out;
  for (const char c : {little ? 'I' : 'M', little ? 'I' : 'M'}) append(out, {c});
  const auto number = [&](int value, int bytes) {
    for (int i = 0; i < bytes; ++i) append(out, {value >> 8 * (little ? i : bytes - 1 - i) & 255});
  };
  for (const auto& [value, bytes] :
       {std::pair(42, 2), {8, 4}, {1, 2}, {tag, 2}, {kind, 2}, {1, 4}, {last, 2}, {0, 2}, {0, 4}})
    number(value, bytes);
  return out;
}

// Inserts an APP1 segment behind the start marker of a JPEG.
Bytes with_exif(const Bytes& jpeg, int orientation, bool little) {
  const Bytes block = exif_block(orientation, little);
  const int length = static_cast<int>(block.size()) + 8;
  Bytes out(jpeg.begin(), jpeg.begin() + 2);
  append(out, {0xFF, 0xE1, length >> 8, length & 255, 'E', 'x', 'i', 'f', 0, 0});
  out.insert(out.end(), block.begin(), block.end());
  out.insert(out.end(), jpeg.begin() + 2, jpeg.end());
  return out;
}

// What a camera stores for the picture `seen` under an orientation. The EXIF number means where the
// first stored row and the first stored column lie in the picture: 1 top left, 2 top right, 3
// bottom right, 4 bottom left, 5 left top, 6 right top, 7 right bottom, 8 left bottom.
Image stored_as(const Image& seen, int orientation) {
  const bool turned = orientation >= 5;
  Image stored(turned ? seen.width : seen.height, turned ? seen.height : seen.width);
  const bool row_from_end = orientation == 3 || orientation == 4 || orientation == 6 ||
                            orientation == 7;  // the first row is at the bottom or on the right
  const bool col_from_end = orientation == 2 || orientation == 3 || orientation == 7 ||
                            orientation == 8;  // the first column is on the right or at the bottom
  for (Index r = 0; r < stored.height; ++r) {
    for (Index c = 0; c < stored.width; ++c) {
      const Index i = row_from_end ? stored.height - 1 - r : r;
      const Index j = col_from_end ? stored.width - 1 - c : c;
      const std::uint8_t* from = turned ? seen.pixel(j, i) : seen.pixel(i, j);
      std::copy(from, from + 3, stored.pixel(r, c));
    }
  }
  return stored;
}

std::string refusal(const Bytes& bytes) {
  try {
    decode_image(bytes, "photo.file");
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

// Inserts an eXIf chunk behind IHDR of a PNG.
Bytes png_with_exif(const Bytes& png, int orientation, bool little) {
  const Bytes block = exif_block(orientation, little);
  Bytes out(png.begin(), png.begin() + 33);  // signature and IHDR
  append(out, {0, 0, 0, static_cast<int>(block.size()), 'e', 'X', 'I', 'f'});
  out.insert(out.end(), block.begin(), block.end());
  append(out, {0, 0, 0, 0});  // a checksum; those of ancillary chunks may be wrong
  out.insert(out.end(), png.begin() + 33, png.end());
  return out;
}

// Puts a WebP picture without alpha into the extended format, with an EXIF chunk at its end.
Bytes webp_with_exif(const Bytes& webp, const Image& stored, int orientation, bool little) {
  const Bytes block = exif_block(orientation, little);
  const auto w = static_cast<int>(stored.width - 1), h = static_cast<int>(stored.height - 1);
  Bytes out(webp.begin(), webp.begin() + 12);
  append(out,
         {'V', 'P', '8', 'X', 10, 0, 0, 0, 8, 0, 0, 0, w & 255, w >> 8, 0, h & 255, h >> 8, 0});
  out.insert(out.end(), webp.begin() + 12, webp.end());
  append(out, {'E', 'X', 'I', 'F', static_cast<int>(block.size()), 0, 0, 0});
  out.insert(out.end(), block.begin(), block.end());
  const int size = static_cast<int>(out.size()) - 8;
  for (int i = 0; i < 4; ++i)
    out[4 + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(size >> (8 * i));
  return out;
}

// Adds an orientation tag to the directory of a little-endian TIFF of OpenCV, which is moved to the
// end of the file for that.
Bytes tiff_with_orientation(const Bytes& tiff, int orientation) {
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(tiff[i]); };
  const std::size_t directory = at(4) | at(5) << 8 | at(6) << 16 | at(7) << 24;
  const std::size_t count = at(directory) | at(directory + 1) << 8;
  Bytes out = tiff;
  if (out.size() % 2 != 0) out.push_back(0);
  const std::size_t moved = out.size();
  append(out, {static_cast<int>(count + 1), 0});
  bool added = false;
  const auto add = [&] {
    append(out, {0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0});
    added = true;
  };
  for (std::size_t i = 0; i < count; ++i) {  // sorted by tag
    const std::size_t entry = directory + 2 + 12 * i;
    if (!added && (at(entry) | at(entry + 1) << 8) > 0x0112) add();
    out.insert(out.end(), tiff.begin() + static_cast<long>(entry),
               tiff.begin() + static_cast<long>(entry) + 12);
  }
  if (!added) add();
  append(out, {0, 0, 0, 0});
  for (std::size_t i = 0; i < 4; ++i) out[4 + i] = static_cast<std::uint8_t>(moved >> (8 * i));
  return out;
}

TEST_CASE(
    "in every format, all orientations are applied, and the header gives the picture's size") {
  const Image seen = test_picture(24, 40);
  const test::TempFolder folder("image-size");
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image stored = stored_as(seen, orientation);
    const Bytes webp = encode(".webp", bgr_of(stored)), tiff = encode(".tiff", bgr_of(stored));
    for (const bool little : {true, false}) {
      const std::pair<const char*, Bytes> files[] = {
          {"a.jpg", with_exif(encode(".jpg", bgr_of(stored)), orientation, little)},
          {"a.png", png_with_exif(encode_png(stored), orientation, little)},
          {"a.webp", webp_with_exif(webp, stored, orientation, little)},
          {"a.tiff", tiff_with_orientation(tiff, orientation)}};
      for (const auto& [name, bytes] : files) {
        INFO(name << ", orientation " << orientation);
        write_bytes(folder / name, bytes);
        CHECK(difference(read_image(folder / name), seen) < 4);
        CHECK(read_image_size(folder / name) == ImageSize{24, 40});
      }
    }
  }
  write_bytes(folder / "a.jpg", with_exif(encode(".jpg", bgr_of(seen)), 9, true));
  CHECK(difference(read_image(folder / "a.jpg"), seen) < 4);
  CHECK(read_image_size(folder / "a.jpg") == ImageSize{24, 40});
  write_bytes(folder / "a.bmp", encode(".bmp", bgr_of(seen)));
  CHECK(read_image_size(folder / "a.bmp") == ImageSize{24, 40});
  CHECK_THROWS_AS(read_image_size(folder / "none.jpg"), DataError);
}

TEST_CASE("libpng gets no chunk of a PNG that it may complain about on stderr") {
  const Image picture = test_picture(20, 30);
  const Bytes plain = encode_png(picture);
  REQUIRE(pixel_chunks(plain) == plain);
  // A colour profile without content and with a wrong checksum, behind IHDR.
  Bytes noisy(plain.begin(), plain.begin() + 33);
  append(noisy, {0, 0, 0, 4, 'i', 'C', 'C', 'P', 'a', 0, 0, 0, 1, 2, 3, 4});
  noisy.insert(noisy.end(), plain.begin() + 33, plain.end());
  CHECK(pixel_chunks(noisy) == plain);
  CHECK(difference(decode_image(noisy, "a.png"), picture) == 0);
  // What is behind the end is no part of the picture.
  Bytes longer = plain;
  append(longer, {1, 2, 3});
  CHECK(pixel_chunks(longer) == plain);
  // Damage to the pixels is found by the checksum, before libpng sees it.
  Bytes damaged = plain;
  damaged[plain.size() / 2] ^= 1;
  CHECK_FALSE(pixel_chunks(damaged));
  CHECK_THAT(refusal(damaged), Catch::Contains("damaged") && Catch::Contains("checksum"));
  CHECK_FALSE(pixel_chunks(std::span(plain).first(plain.size() - 5)));
  // Transparency makes pixels.
  const Bytes clear = encode(".png", cv::Mat(2, 2, CV_8UC4, cv::Scalar(0, 0, 200, 128)));
  CHECK(pixel_chunks(clear) == clear);
}

TEST_CASE("pictures are known by the endings of their names") {
  for (const char* name :
       {"a.jpg", "A.JPG", "b.jpeg", "b.JFIF", "b.jpe", "c.Png", "d.webp", "e.tiff", "x/f.bmp"})
    CHECK((named_as_picture(name) && !named_as_unread_picture(name)));
  for (const char* name : {"a.HEIC", "b.avif", "c.gif"})
    CHECK((!named_as_picture(name) && named_as_unread_picture(name)));
  for (const char* name : {"jpg", ".hidden.jpg", "a.txt", "a.jpg.part", "._a.heic"})
    CHECK((!named_as_picture(name) && !named_as_unread_picture(name)));
  const test::TempFolder folder("pictures");
  for (const char* name : {"b.JPG", "a.png", "c.heic", "notes.txt"}) folder.write(name, "x");
  std::filesystem::create_directory(folder / "d.jpg");
  // What has the content of a picture and another name is counted.
  for (const char* suffix : {".jpg", ".png", ".bmp", ".webp", ".tiff"})
    write_bytes(folder / ("picture" + std::string(suffix) + ".download"),
                encode(suffix, cv::Mat(4, 4, CV_8UC3, cv::Scalar(1, 2, 3))));
  folder.write("BMW.txt", "BMW is no bitmap");
  write_bytes(folder / ".hidden", encode(".jpg", cv::Mat(4, 4, CV_8UC3)));
  const FolderPictures found = pictures_in(folder.path());
  CHECK(found.pictures == std::vector<std::filesystem::path>{folder / "a.png", folder / "b.JPG"});
  CHECK(found.unread == std::vector<std::filesystem::path>{folder / "c.heic"});
  CHECK(found.misnamed.size() == 5);
  CHECK_THROWS_AS(pictures_in(folder / "none"), DataError);
}

TEST_CASE("pictures with grey, alpha or 16 bits become RGB") {
  cv::Mat grey(5, 7, CV_8UC1, cv::Scalar(90));
  for (const char* suffix : {".png", ".jpg", ".bmp", ".tiff", ".webp"}) {
    INFO(suffix);
    const Image image = decode_image(encode(suffix, grey), "a");
    REQUIRE(image.height == 5);
    REQUIRE(image.width == 7);
    CHECK(difference(image, Image(5, 7, 90)) < 1.5);
  }
  // blue, green, red, alpha
  const Image half =
      decode_image(encode(".png", cv::Mat(2, 2, CV_8UC4, cv::Scalar(0, 0, 200, 128))), "a.png");
  CHECK(half.pixel(1, 1)[0] == (200 * 128 + 255 * 127 + 127) / 255);
  CHECK(half.pixel(1, 1)[1] == 127);
  const Image clear =
      decode_image(encode(".png", cv::Mat(2, 2, CV_8UC4, cv::Scalar(0, 0, 0, 0))), "a.png");
  CHECK(difference(clear, Image(2, 2, 255)) == 0);
  for (const char* suffix : {".png", ".tiff"}) {
    const Image deep =
        decode_image(encode(suffix, cv::Mat(2, 3, CV_16UC3, cv::Scalar(0, 65535, 257 * 7))), "a");
    CHECK(int{deep.pixel(0, 0)[0]} == 7);
    CHECK(int{deep.pixel(0, 0)[1]} == 255);
    CHECK(int{deep.pixel(0, 0)[2]} == 0);
  }
  const Image deep_clear = decode_image(
      encode(".png", cv::Mat(2, 2, CV_16UC4, cv::Scalar(0, 0, 0, 65535.0 / 2))), "a.png");
  CHECK(std::abs(int{deep_clear.pixel(0, 0)[0]} - 127) <= 1);
}

TEST_CASE("16 bits of which few are used are nearly black, and a warning says so") {
  for (const char* suffix : {".png", ".tiff"})
    for (const auto& [brightest, expected] :
         {std::pair{4095, 1}, {1023, 1}, {4400, 0}, {65535, 0}, {0, 0}}) {
      INFO(suffix << ", brightest " << brightest);
      std::vector<std::string> lines;
      decode_image(encode(suffix, cv::Mat(4, 5, CV_16UC1, cv::Scalar(brightest))), "deep",
                   [&](Severity, const std::string& text) { lines.push_back(text); });
      CHECK(lines.size() == static_cast<std::size_t>(expected));
      for (const std::string& line : lines) CHECK_THAT(line, Catch::Contains("nearly black"));
    }
  int lines = 0;  // a dark picture of 8 bits is a dark picture
  decode_image(encode(".png", cv::Mat(4, 5, CV_8UC1, cv::Scalar(9))), "dark",
               [&](Severity, const std::string&) { ++lines; });
  CHECK(lines == 0);
}

TEST_CASE("more pixels are read where they are allowed, and fewer are refused, in every format") {
  const test::TempFolder folder("pixels");
  for (const char* suffix : {".jpg", ".png", ".bmp", ".webp", ".tiff"}) {
    INFO(suffix);
    const auto path = folder / ("a" + std::string(suffix));
    write_bytes(path, encode(suffix, cv::Mat(1000, 1100, CV_8UC3, cv::Scalar(9, 8, 7))));
    CHECK(read_image(path, {}, 1'100'000).width == 1100);
    CHECK(read_image_size(path, 1'100'000).height == 1000);
    for (const bool whole : {true, false})
      CHECK_THROWS_WITH(
          whole ? read_image(path, {}, 1'000'000).width : read_image_size(path, 1'000'000).width,
          Catch::Contains("1100x1000 pixels are more than the 1 million") &&
              Catch::Contains("data.max_megapixels"));
  }
}

TEST_CASE("an image bomb is refused by its header") {
  Bytes png{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
  append(png, {0, 0, 0x50, 0, 0, 0, 0x50, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0});
  append(png, {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0, 0, 0, 0});
  CHECK_THAT(refusal(png), Catch::Contains("20480x20480 pixels are more than"));
  // Only a header, with dimensions at the format's limit.
  const Bytes jpeg{0xFF, 0xD8, 0xFF, 0xC0, 0,    17, 8, 0xFF, 0xFF, 0xFF, 0xFF, 3,
                   1,    0x22, 0,    2,    0x11, 1,  3, 0x11, 1,    0xFF, 0xD9};
  CHECK_THAT(refusal(jpeg), Catch::Contains("65535x65535 pixels are more than"));
  Bytes bmp = encode(".bmp", cv::Mat(4, 4, CV_8UC3, cv::Scalar(1, 2, 3)));
  bmp[20] = 0xFF;
  bmp[24] = 0xFF;
  CHECK_THAT(refusal(bmp), Catch::Contains("pixels are more than"));
}

TEST_CASE("a file that was cut short is refused, wherever it was cut") {
  const Image seen = test_picture(120, 160);
  for (const char* suffix : {".jpg", ".png", ".bmp", ".webp"}) {
    const Bytes whole = encode(suffix, bgr_of(seen));
    for (const double share : {0.03, 0.1, 0.5, 0.9, 0.999}) {
      const auto size = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
      INFO(suffix << " cut to " << size << " of " << whole.size());
      const std::string text =
          refusal(Bytes(whole.begin(), whole.begin() + static_cast<long>(size)));
      CHECK_THAT(text, Catch::StartsWith("photo.file: "));
      CHECK_THAT(text, Catch::Contains("cut short") || Catch::Contains("no size"));
    }
    Bytes longer = whole;  // cameras and servers append data
    append(longer, {0xFF, 0xD8, 0, 1, 2, 3});
    CHECK(difference(decode_image(longer, "a"), seen) < 6);
  }
  const std::vector<int> progressive{cv::IMWRITE_JPEG_PROGRESSIVE, 1};
  Bytes jpeg;
  cv::imencode(".jpg", bgr_of(seen), jpeg, progressive);
  CHECK(refusal(jpeg).empty());
  jpeg.resize(jpeg.size() - 2);
  CHECK_THAT(refusal(jpeg), Catch::Contains("cut short"));
}

TEST_CASE("files that are not images are refused with their names") {
  const test::TempFolder folder("image-test");
  const auto refused = [&](const std::filesystem::path& path, const char* reason) {
    CHECK_THROWS_WITH(read_image(path),
                      Catch::StartsWith(path.string()) && Catch::Contains(reason));
    CHECK_THROWS_AS(read_image(path), DataError);
  };
  refused(folder / "nothing.jpg", "no such image");
  refused(folder.path(), "is a directory");
  write_bytes(folder / "empty.jpg", {});
  refused(folder / "empty.jpg", "is empty");
  const std::string text = "<html>404</html>";
  write_bytes(folder / "page.jpg",
              {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  refused(folder / "page.jpg", "is a web page");
  for (const auto& [begin, kind] : std::initializer_list<std::pair<std::string, const char*>>{
           {"\n <!DOCTYPE html>", "is a web page"},
           {std::string("\0\0\0\x20", 4) + "ftypavif", "is an AVIF picture"},
           {std::string("\0\0\0\x18", 4) + "ftypheic", "is a HEIC picture"},
           {"GIF89a", "is a GIF picture"},
           {"%PDF-1.7", "is a PDF file"},
           {"<?xml version='1.0'?><svg/>", "is an SVG"},
           {"version https://git-lfs.github.com/spec/v1", "git lfs pull"},
           {"{\"error\": \"not found\"}", "is a JSON text and no image; a download has failed"},
           {" [{\"a\": 1}]", "is a JSON text"},
           {"dog", "is not an image"}})
    refused(folder.write("other.jpg", begin + "0123456789"), kind);
  refused("/dev/null", "not a regular file");
}

TEST_CASE("PNG files are written completely, or there is an error with its reason") {
  const test::TempFolder folder("png-test");
  const Image image = test_picture(9, 13);
  write_png(folder / "a.png", image);
  CHECK(difference(read_image(folder / "a.png"), image) == 0);
  CHECK_THROWS_AS(write_png(folder / "no/such/folder.png", image), IoError);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++files;
  CHECK(files == 1);
}

}  // namespace
}  // namespace saccade::image_test
