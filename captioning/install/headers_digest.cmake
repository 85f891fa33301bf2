# Writes the source that says for which headers the library was compiled. Called with ROOT, LIST (public_headers.txt),
# VERSION and OUTPUT.
file(STRINGS ${LIST} headers REGEX "^[^#]")
foreach(header ${headers})
  file(SHA256 ${ROOT}/${header} one)
  string(APPEND all "${header} ${one}\n")
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 12 digest)
file(WRITE ${OUTPUT} "#include \"core/attention/headers_digest.h\"

namespace saccade {
const char* const kHeadersDigest = \"saccade ${VERSION}, headers ${digest}\";
}
")
