# Writes a header as it is installed: what it includes is below saccade/, and its comments are Doxygen's, which editors
# and Doxygen show. Called with AWK, COMMENTS (comments.awk), INPUT and OUTPUT, and for the header of plugins with DIGEST,
# the source that says for which headers the library was compiled (headers_digest.cmake).
execute_process(COMMAND ${AWK} -f ${COMMENTS} ${INPUT} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "#include \"" "#include \"saccade/" text "${text}")
if(DIGEST)
  file(READ ${DIGEST} digest)
  string(REGEX MATCH "\"saccade [^\"]+\"" digest "${digest}")
  string(REPLACE "\"the source tree\"" "${digest}" text "${text}")
endif()
file(WRITE ${OUTPUT} "${text}")
