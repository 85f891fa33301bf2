# cmake -DIN=SOURCE -DOUT=MUTANT -DSPEC=FILE -P mutate.cmake: copies SOURCE to MUTANT with one text
# replaced. The text must occur exactly once, so that a mutation never silently changes nothing.
include("${SPEC}")  # sets `find` and `replace`
file(READ "${IN}" text)
string(FIND "${text}" "${find}" first)
string(FIND "${text}" "${find}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${IN} has to contain this text exactly once:\n  ${find}\nAdapt FIND and REPLACE in tests/mutation/CMakeLists.txt to the source.")
endif()
string(REPLACE "${find}" "${replace}" text "${text}")
file(WRITE "${OUT}" "${text}")
