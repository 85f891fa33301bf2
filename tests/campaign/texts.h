// Small files of captions, from which mutations of several readers start, and words of their forms.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/campaign/readers.h"

namespace saccade::campaign {

inline std::string text_of(Input bytes) { return {bytes.begin(), bytes.end()}; }

inline std::vector<Bytes> texts(std::initializer_list<const char*> all) {
  std::vector<Bytes> out;
  for (const char* one : all) out.push_back(bytes_of(one));
  return out;
}

inline constexpr const char* kKarpathy =
    R"({"dataset":"flickr8k","images":[{"filename":"a.jpg","imgid":0,"split":"train","sentids":[0],)"
    R"("sentences":[{"raw":"A dog runs .","tokens":["a","dog","runs"],"imgid":0,"sentid":0}]},)"
    R"({"filename":"b.jpg","filepath":"val2014","cocoid":42,"imgid":1,"split":"restval",)"
    R"("sentences":[{"raw":"Two cats.","tokens":["two","cats"]}]}]})";
inline constexpr const char* kCoco =
    R"({"info":{},"images":[{"id":1,"file_name":"1.jpg","width":9,"height":7},{"id":2,)"
    R"("file_name":"2.jpg"}],"annotations":[{"id":1,"image_id":1,"caption":"a dog"},{"id":2,)"
    R"("image_id":2,"caption":"a cat"}]})";
inline constexpr const char* kRows =
    "image,caption,split\na.jpg,a dog runs,train\nb.jpg,\"a cat, asleep\",val\n";
inline constexpr const char* kTokens =
    "a.jpg#0\tA dog runs .\na.jpg#1\tA brown dog .\nb.jpg#0\tTwo cats .\n";

inline const std::vector<std::string> kJson = {
    "{",        "}",         "[",     "]",           "\"",
    ":",        ",",         "null",  "true",        "1",
    "1e999",    "-1",        "[]",    "{}",          "\xff",
    "\\u0000",  "\\ud800",   "raw",   "images",      "caption",
    "image_id", "sentences", "split", "annotations", "99999999999999999999"};
inline const std::vector<std::string> kTable = {",",
                                                ";",
                                                "|",
                                                "\t",
                                                "\"",
                                                "\r\n",
                                                "#0\t",
                                                "image,caption\n",
                                                ".jpg",
                                                "[\"a\", \"b\"]",
                                                "\xef\xbb\xbf",
                                                "\xff",
                                                " -> "};

}  // namespace saccade::campaign
