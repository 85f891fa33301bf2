# Makes Doxygen's comments of plain ones: `// text` above a declaration, and `int x;  // text` behind one, which may
# go on in the same column of the next lines. The comment on top of a file describes the file. Headers are installed
# in this form, which editors show, too; so only what would be a command, a tag or a link gets a backslash.
function marked(text) {
  gsub(/[\\@#<&%][A-Za-z\/!]/, "\\\\&", text)
  return text
}
FNR == 1 { print "/// \\file"; behind = 0 }
/^ *\/\/ / && !/\/\/ (---|NOLINT|namespace )/ {
  column = index($0, "//")
  mark = behind == column ? "///<" : "///"
  if (mark == "///") behind = 0
  print substr($0, 1, column - 1) mark marked(substr($0, column + 2))
  next
}
match($0, /[;,})] +\/\/ /) && !/^ *}|\/\/ NOLINT/ {
  behind = RSTART + RLENGTH - 3
  print substr($0, 1, behind - 1) "///<" marked(substr($0, behind + 2))
  next
}
{ behind = 0; print }
