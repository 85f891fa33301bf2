# Writes OUTPUT, a source file that says from which commit of the repository SOURCE the program is built,
# and whether files of it were changed since. The file stays as it is where nothing of this changed. Outside a
# repository, or without git, the commit is "".
set(commit "")
set(changed false)
find_program(GIT git)
if(GIT)
  # The tree may lie inside a repository of something else.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
    OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE outside ERROR_QUIET)
  if(outside EQUAL 0 AND prefix STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --verify --quiet HEAD
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE same
      OUTPUT_QUIET ERROR_QUIET)
    if(NOT same EQUAL 0)
      set(changed true)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"#include \"experiments/process/version.h\"

saccade::SourceState saccade::source_state() { return {\"${commit}\", ${changed}}; }
")
