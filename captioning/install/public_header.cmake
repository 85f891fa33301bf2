# Writes a header as it is installed: what it includes is below saccade/. Called with INPUT and OUTPUT.
file(READ ${INPUT} text)
string(REPLACE "#include \"" "#include \"saccade/" text "${text}")
file(WRITE ${OUTPUT} "${text}")
