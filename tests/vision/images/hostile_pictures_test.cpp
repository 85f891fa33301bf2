// Pictures that are made to harm: no file takes more memory or time than its pixels explain, only
// the formats that are named are tried, and memory that runs out is not called damage.
#include <sys/resource.h>
#include <sys/wait.h>
#include <tiffio.h>
#include <unistd.h>
#include <zlib.h>

#include <new>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"
#include "vision/images/image.h"
#include "vision/images/thumbnail.h"

namespace saccade::hostile_pictures_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

Bytes number(std::uint64_t value, int count, bool big = false) {
  Bytes out;
  for (int i = 0; i < count; ++i)
    out.push_back(static_cast<std::uint8_t>(value >> 8 * (big ? count - 1 - i : i)));
  return out;
}

Bytes text(const std::string& letters) { return {letters.begin(), letters.end()}; }

Bytes encode(const char* suffix, const Image& image, const std::vector<int>& options = {}) {
  cv::Mat rgb(static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC3,
              const_cast<std::uint8_t*>(image.rgb.data()));
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  Bytes bytes;
  cv::imencode(suffix, bgr, bytes, options);
  return bytes;
}

// The warning about a picture that is read; "" where there is none.
std::string warning(const Bytes& bytes) {
  std::vector<std::string> lines;
  decode_image(bytes, "photo", [&](Severity, const std::string& line) { lines.push_back(line); });
  REQUIRE(lines.size() <= 1);
  return lines.empty() ? "" : lines[0];
}

// What the reader says against a file; "" where it reads it.
std::string refusal(const Bytes& bytes, Index max_pixels = kMaxImagePixels) {
  return test::message_of<DataError>([&] { decode_image(bytes, "photo", {}, max_pixels); });
}

Bytes png_chunk(const std::string& name, const Bytes& data) {
  Bytes out = number(data.size(), 4, true);
  append(out, text(name));
  append(out, data);
  const uLong sum = crc32(0, out.data() + 4, static_cast<uInt>(out.size() - 4));
  append(out, number(sum, 4, true));
  return out;
}

Bytes riff_chunk(const std::string& name, const Bytes& data) {
  Bytes out = text(name);
  append(out, number(data.size(), 4));
  append(out, data);
  if (data.size() % 2 != 0) out.push_back(0);
  return out;
}

Bytes webp_of(const std::vector<Bytes>& chunks) {
  Bytes body = text("WEBP");
  for (const Bytes& chunk : chunks) append(body, chunk);
  return riff_chunk("RIFF", body);
}

// The chunk of the pixels of a picture without loss.
Bytes lossless(const Image& image) {
  const Bytes webp = encode(".webp", image, {cv::IMWRITE_WEBP_QUALITY, 101});
  const auto at = std::search(webp.begin(), webp.end(), std::begin("VP8L"), std::begin("VP8L") + 4);
  REQUIRE(at != webp.end());
  return {at, webp.end()};
}

Bytes vp8x(int flags, Index height, Index width) {
  Bytes data{static_cast<std::uint8_t>(flags), 0, 0, 0};
  append(data, number(static_cast<std::uint64_t>(width - 1), 3));
  append(data, number(static_cast<std::uint64_t>(height - 1), 3));
  return riff_chunk("VP8X", data);
}

// A TIFF file of libtiff, whose fields and data `fill` sets.
Bytes tiff_file(const std::function<void(TIFF*)>& fill) {
  const test::TempFolder folder("tiff");
  TIFF* tiff = TIFFOpen((folder / "a.tiff").c_str(), "w");
  REQUIRE(tiff != nullptr);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  fill(tiff);
  TIFFClose(tiff);
  return text(test::TempFolder::read(folder / "a.tiff"));
}

void set_size(TIFF* tiff, std::uint32_t height, std::uint32_t width, std::uint16_t samples) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
}

Bytes tiled(std::uint32_t height, std::uint32_t width, std::uint32_t tile_height,
            std::uint32_t tile_width) {
  return tiff_file([&](TIFF* tiff) {
    set_size(tiff, height, width, 3);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile_width);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, tile_height);
    if (tile_height * tile_width < 1 << 20) {
      Bytes tile(std::size_t{3} * tile_height * tile_width, 77);
      for (std::uint32_t i = 0; i < TIFFNumberOfTiles(tiff); ++i)
        TIFFWriteEncodedTile(tiff, i, tile.data(), static_cast<tmsize_t>(tile.size()));
    } else {
      Bytes raw(100, 1);
      TIFFWriteRawTile(tiff, 0, raw.data(), static_cast<tmsize_t>(raw.size()));
    }
  });
}

// The largest memory that the process has had, in MB.
double peak_memory() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST_CASE("a file is given to no reader but that of its format") {
  // OpenCV asks all of its readers about what libwebp does not know. The mark of DICOM's stands
  // here.
  for (const std::size_t size : {154U, 641U}) {
    Bytes bytes = webp_of({text("VP8 ")});
    bytes.resize(size);
    std::copy_n("DICM", 4, bytes.begin() + 128);
    CHECK_THAT(refusal(bytes), Catch::Contains("no size"));
  }
  for (const char* mark : {"SIMPLE  =", "NITF02.10", "#?RADIANCE\n", "P6\n1 1\n255\n", "v/1\x01"})
    CHECK_THAT(refusal(text(mark + std::string(300, 'x'))), Catch::Contains("not an image"));
}

TEST_CASE("the limit of pixels is that of the size which is decoded, whatever else a file says") {
  const Image large = test_picture(200, 300), small = test_picture(2, 3);
  const Bytes png = encode_png(large), small_png = encode_png(small);
  const auto ihdr = [](const Bytes& file) { return Bytes(file.begin() + 8, file.begin() + 33); };
  Bytes last_small(png.begin(), png.begin() + 33),
      last_large(small_png.begin(), small_png.begin() + 33);
  append(last_small, ihdr(small_png));
  append(last_large, ihdr(png));
  for (Bytes* file : {&last_small, &last_large})
    file->insert(file->end(), png.begin() + 33, png.end());

  // The first tag of a TIFF counts; here, its width is there twice.
  Bytes tiff = encode(".tiff", large);
  const std::size_t directory = static_cast<std::size_t>(tiff[4] | tiff[5] << 8 | tiff[6] << 16);
  for (std::size_t entry = directory + 2; entry < directory + 200; entry += 12)
    if (tiff[entry] == 2 && tiff[entry + 1] == 1) {  // BitsPerSample becomes a second width
      Bytes width = number(0x0100, 2);
      for (const Bytes& part : {number(3, 2), number(1, 4), number(2, 4)}) append(width, part);
      std::copy(width.begin(), width.end(), tiff.begin() + static_cast<long>(entry));
      break;
    }
  const std::pair<const char*, Bytes> files[] = {
      {"PNG, the last IHDR is small", last_small},
      {"PNG, the last IHDR is large", last_large},
      {"WebP, VP8X behind VP8L", webp_of({lossless(large), vp8x(0, 2, 3)})},
      {"WebP, VP8X before VP8L", webp_of({vp8x(0, 2, 3), lossless(large)})},
      {"TIFF, a tag twice", tiff}};
  for (const auto& [name, bytes] : files) {
    INFO(name);
    CHECK_THAT(refusal(bytes, 1000), Catch::Contains("300x200 pixels are more") ||
                                         Catch::Contains("damaged") || Catch::Contains("no size"));
    // Where the limit allows it, what is decoded has the size that the header gave.
    const test::TempFolder folder("hostile");
    write_bytes(folder / "a", bytes);
    try {
      const Image image = read_image(folder / "a");
      CHECK(read_image_size(folder / "a") == ImageSize{image.height, image.width});
    } catch (const DataError& error) {
      CHECK_THAT(error.what(), Catch::Contains("damaged") || Catch::Contains("no size"));
    }
  }
}

TEST_CASE("small pictures decode without gigabytes") {
  const Image picture = test_picture(64, 64);
  const double before = peak_memory();
  // Texts of a PNG that unpack to 8 MB each.
  const Bytes zeros(8 << 20);
  uLongf packed_size = compressBound(zeros.size());
  Bytes packed(packed_size);
  REQUIRE(compress(packed.data(), &packed_size, zeros.data(), zeros.size()) == Z_OK);
  packed.resize(packed_size);
  const Bytes png = encode_png(picture);
  for (const std::string kind : {"zTXt", "iTXt", "iCCP"}) {
    INFO(kind);
    Bytes data = text("name");
    append(data, kind == "iTXt" ? Bytes{0, 1, 0, 0, 0} : Bytes{0, 0});
    append(data, packed);
    const Bytes chunk = png_chunk(kind, data);
    Bytes bomb(png.begin(), png.begin() + 33);
    for (int i = 0; i < 200; ++i) append(bomb, chunk);
    bomb.insert(bomb.end(), png.begin() + 33, png.end());
    CHECK(difference(decode_image(bomb, "bomb.png"), picture) == 0);
  }
  // Tiles that are much larger than their picture, each or together.
  CHECK_THAT(refusal(tiled(64, 64, 16384, 16384)), Catch::Contains("larger than the picture"));
  CHECK_THAT(refusal(tiled(16000, 16, 16, 16384)), Catch::Contains("larger than the picture"));
  CHECK(peak_memory() - before < 150);
  // Tiles as they are.
  CHECK(difference(decode_image(tiled(64, 64, 256, 256), "a.tiff"), Image(64, 64, 77)) == 0);
  CHECK(difference(decode_image(tiled(500, 300, 64, 128), "a.tiff"), Image(500, 300, 77)) == 0);
}

TEST_CASE("a JPEG of thousands of scans is refused after a hundred") {
  Bytes jpeg = encode(".jpg", test_picture(480, 640), {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
  CHECK(refusal(jpeg).empty());
  std::size_t scan = jpeg.size() - 2;
  while (jpeg[scan] != 0xFF || jpeg[scan + 1] != 0xDA) --scan;
  const Bytes last(jpeg.begin() + static_cast<long>(scan), jpeg.end() - 2);
  for (int i = 0; i < 2000; ++i) jpeg.insert(jpeg.end() - 2, last.begin(), last.end());
  CHECK_THAT(refusal(jpeg), Catch::Contains("more scans than a picture needs"));
}

TEST_CASE("of a WebP that moves, the first frame is read, on the canvas") {
  const Image frame = test_picture(8, 10), other = test_picture(20, 24, 2);
  const auto anmf = [](const Image& image, unsigned x, unsigned y) {
    Bytes data = number(x / 2, 3);
    append(data, number(y / 2, 3));
    append(data, number(static_cast<std::uint64_t>(image.width - 1), 3));
    append(data, number(static_cast<std::uint64_t>(image.height - 1), 3));
    append(data, number(100, 3));
    append(data, {0});
    append(data, lossless(image));
    return riff_chunk("ANMF", data);
  };
  const Bytes anim = riff_chunk("ANIM", Bytes(6));
  const Bytes moving = webp_of({vp8x(2, 20, 24), anim, anmf(frame, 4, 6), anmf(other, 0, 0)});
  const Image read = decode_image(moving, "moving");
  CHECK(warning(moving) ==
        "photo: of its 2 frames, the first is read; save another frame as a file of its own if "
        "that is meant");
  CHECK(warning(webp_of({vp8x(2, 20, 24), anim, anmf(other, 0, 0)})).empty());
  Image wanted(20, 24, 255);
  for (Index y = 0; y < 8; ++y) std::copy_n(frame.pixel(y, 0), 30, wanted.pixel(y + 6, 4));
  CHECK(difference(read, wanted) == 0);
  // Frames outside the canvas, and none.
  CHECK_THAT(refusal(webp_of({vp8x(2, 20, 24), anim, anmf(frame, 20, 6)})),
             Catch::Contains("damaged"));
  CHECK_THAT(refusal(webp_of({vp8x(2, 20, 24), anim})), Catch::Contains("damaged"));
}

TEST_CASE("of a PNG that moves and of a TIFF with pages, the first is read, and it is said") {
  const Bytes png = encode_png(test_picture(8, 8));
  // Chunks behind IHDR, and in front of IEND.
  const auto with = [&](const std::vector<Bytes>& first, const std::vector<Bytes>& last) {
    Bytes out(png.begin(), png.begin() + 33);
    for (const Bytes& chunk : first) append(out, chunk);
    out.insert(out.end(), png.begin() + 33, png.end() - 12);
    for (const Bytes& chunk : last) append(out, chunk);
    out.insert(out.end(), png.end() - 12, png.end());
    return out;
  };
  const Bytes moves = png_chunk("acTL", Bytes(8)), frame = png_chunk("fcTL", Bytes(26)),
              pixels = png_chunk("fdAT", Bytes(9));
  CHECK(warning(png).empty());
  CHECK(warning(with({moves, frame}, {})).empty());
  CHECK_THAT(warning(with({moves, frame}, {frame, pixels, frame, pixels})),
             Catch::StartsWith("photo: of its 3 frames, the first is read; "));
  CHECK_THAT(warning(with({moves}, {frame, pixels, frame, pixels})),
             Catch::StartsWith("photo: is read as the still picture in front of its 2 frames; "));
  CHECK(warning(with({}, {moves, frame, pixels, frame, pixels})).empty());
  CHECK(difference(decode_image(with({moves, frame}, {frame, pixels}), "a"), test_picture(8, 8)) ==
        0);

  struct Page {
    int level;
    std::uint32_t kind = 0;
  };
  const auto tiff_of = [](const std::vector<Page>& pages) {
    return tiff_file([&](TIFF* tiff) {
      for (const Page& page : pages) {
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, page.kind);
        set_size(tiff, 1, 2, 3);
        Bytes row(6, static_cast<std::uint8_t>(page.level));
        TIFFWriteScanline(tiff, row.data(), 0, 0);
        TIFFWriteDirectory(tiff);
      }
    });
  };
  CHECK(warning(tiff_of({{10}})).empty());
  CHECK(warning(tiff_of({{10}, {20, FILETYPE_REDUCEDIMAGE}, {30, FILETYPE_MASK}})).empty());
  const Bytes pages = tiff_of({{10}, {20}, {30, FILETYPE_PAGE}});
  CHECK(warning(pages) ==
        "photo: of its 3 pages, the first is read; save another page as a file of its own if that "
        "is meant");
  CHECK(difference(decode_image(pages, "a"), Image(1, 2, 10)) == 0);
  CHECK_THAT(warning(tiff_of(std::vector<Page>(150, {10}))),
             Catch::Contains("its 100 or more pages"));
}

TEST_CASE("clear parts of a TIFF are white with either kind of alpha, and without one") {
  for (const int kind : {EXTRASAMPLE_ASSOCALPHA, EXTRASAMPLE_UNASSALPHA}) {
    const bool premultiplied = kind == EXTRASAMPLE_ASSOCALPHA;
    const Bytes bytes = tiff_file([&](TIFF* tiff) {
      set_size(tiff, 1, 2, 4);
      const auto extra = static_cast<std::uint16_t>(kind);
      TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
      Bytes row{static_cast<std::uint8_t>(premultiplied ? 100 : 199), 0, 0, 128, 0, 0, 0, 0};
      TIFFWriteScanline(tiff, row.data(), 0, 0);
    });
    const Image read = decode_image(bytes, "a.tiff");
    INFO("kind " << kind);
    CHECK(std::abs(int{read.pixel(0, 0)[0]} - 227) <= 1);
    CHECK(int{read.pixel(0, 0)[1]} == 127);
    CHECK(int{read.pixel(0, 1)[0]} == 255);
  }
}

#ifndef __SANITIZE_ADDRESS__  // whose shadow memory no limit allows
TEST_CASE("memory that runs out is std::bad_alloc and no damage, wherever it runs out") {
  Image picture(3500, 4000);  // 42 MB, more than malloc keeps for later
  Random random({.seed = 8, .stream = Stream::kTest});
  for (std::uint8_t& byte : picture.rgb) byte = static_cast<std::uint8_t>(random.bits());
  std::vector<std::pair<std::string, std::function<void()>>> works = {
      {"writing .png", [&] { encode_png(picture); }},
      {"writing .jpg", [&] { jpeg_thumbnail(picture, picture.width, 100); }}};
  for (const char* suffix : {".jpg", ".png", ".bmp", ".webp", ".tiff", "progressive"}) {
    const bool progressive = suffix == std::string("progressive");
    const Image even(3500, 4000, 90);
    const Bytes bytes = progressive ? encode(".jpg", even, {cv::IMWRITE_JPEG_PROGRESSIVE, 1})
                                    : encode(suffix, even);
    works.emplace_back(suffix, [bytes] { decode_image(bytes, "photo"); });
  }
  for (const auto& [name, work] : works) {
    int without = 0;
    for (const int spare : {1, 20, 45, 60, 90, 130, 600}) {
      INFO(name << " with " << spare << " MB");
      const pid_t child = ::fork();
      if (child == 0) {
        std::ifstream pages("/proc/self/statm");
        rlim_t size = 0;
        pages >> size;
        const rlim_t most = size * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) +
                            (static_cast<rlim_t>(spare) << 20);
        const rlimit limit{most, most};
        ::setrlimit(RLIMIT_AS, &limit);
        int code = 0;
        try {
          work();
        } catch (const DataError&) {
          code = 3;
        } catch (const std::bad_alloc&) {
          code = 9;
        }
        ::_exit(code);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      REQUIRE(WIFEXITED(status));
      const int code = WEXITSTATUS(status);
      CHECK((code == 0 || code == 9));
      if (code == 9) ++without;
      if (spare == 600) CHECK(code == 0);
    }
    INFO(name);
    CHECK(without > 0);
  }
}
#endif

}  // namespace
}  // namespace saccade::hostile_pictures_test
