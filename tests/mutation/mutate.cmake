# cmake -DIN=source -DOUT=mutant -DSPEC=file -P mutate.cmake: writes the source with one place changed.
# The place must occur exactly once, so that a mutation never silently does nothing.
include("${SPEC}")  # sets find, replace
file(READ "${IN}" text)
string(FIND "${text}" "${find}" first)
string(FIND "${text}" "${find}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${IN} does not hold exactly one\n  ${find}\nadapt tests/mutation/CMakeLists.txt to the source")
endif()
string(REPLACE "${find}" "${replace}" text "${text}")
file(WRITE "${OUT}" "${text}")
