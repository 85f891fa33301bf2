# Links to headings, which Doxygen does not know by their names on GitHub, lead to the page; links to what is no page
# become text. The YAML at the head of a model card is no part of the page.
FNR == 1 && /^---$/ { head = 1; next }
head { if (/^---$/) head = 0; next }
{
  $0 = gensub_links($0)
  print
}
function gensub_links(line,   out, text, target) {
  out = ""
  while (match(line, /!?\[[^][]*\]\([^()]*\)/)) {
    out = out substr(line, 1, RSTART - 1)
    link = substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
    text = link
    sub(/\]\([^()]*\)$/, "", text)
    sub(/^!?\[/, "", text)
    target = link
    sub(/^.*\]\(/, "", target)
    sub(/\)$/, "", target)
    if (link ~ /^!/ || target ~ /^https?:/) out = out link
    else { sub(/#.*/, "", target); out = out (target ~ /\.md$/ ? "[" text "](" target ")" : text) }
  }
  return out line
}
