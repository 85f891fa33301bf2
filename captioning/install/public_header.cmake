# Writes a header as it is installed: what it includes is below saccade/, and its comments are Doxygen's, which editors
# and Doxygen show. Called with AWK, COMMENTS (comments.awk), INPUT and OUTPUT.
execute_process(COMMAND ${AWK} -f ${COMMENTS} ${INPUT} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "#include \"" "#include \"saccade/" text "${text}")
file(WRITE ${OUTPUT} "${text}")
