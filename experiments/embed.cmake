# Writes files as the constants that a header declares in the namespace saccade::NAME into a .cpp file:
#   cmake -DOUTPUT=FILE.cpp -DNAME=NAME -DHEADER=FILE.h -DFOLDER=DIR -DPARTS=name=a.js+b.js,name=c.css
#     -P embed.cmake
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\nnamespace saccade::${NAME} {\n\n")
string(REPLACE "," ";" parts ${PARTS})
foreach(part IN LISTS parts)
  string(REPLACE "=" ";" part ${part})
  list(GET part 0 name)
  list(GET part 1 files)
  string(REPLACE "+" ";" files ${files})
  set(text "")
  foreach(file IN LISTS files)
    file(READ ${FOLDER}/${file} more)
    string(APPEND text "${more}\n")
  endforeach()
  # Nothing has to be escaped in a raw literal, because no file contains `)page"`.
  file(APPEND ${OUTPUT} "const std::string_view ${name} = R\"page(${text})page\";\n")
endforeach()
file(APPEND ${OUTPUT} "\n}  // namespace saccade::${NAME}\n")
