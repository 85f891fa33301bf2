# Writes the files of the page into a .cpp file, as constants of page_parts.h:
#   cmake -DOUTPUT=FILE.cpp -DFOLDER=DIR -DSCRIPTS=a.js,b.js -P embed.cmake
file(READ ${FOLDER}/report.html markup)
file(READ ${FOLDER}/report.css style)
string(REPLACE "," ";" scripts ${SCRIPTS})
set(script "")
foreach(name IN LISTS scripts)
  file(READ ${FOLDER}/${name} text)
  string(APPEND script "${text}\n")
endforeach()

# Raw literals: nothing has to be escaped, and `)page"` is in no file.
file(WRITE ${OUTPUT} "#include \"experiments/report/page_parts.h\"\n\nnamespace saccade::page_parts {\n\n")
foreach(part markup style script)
  file(APPEND ${OUTPUT} "const std::string_view ${part} = R\"page(${${part}})page\";\n")
endforeach()
file(APPEND ${OUTPUT} "\n}  // namespace saccade::page_parts\n")
