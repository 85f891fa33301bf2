#!/usr/bin/env bash
# Checks the links of all Markdown files. A relative link has to name a file that exists, and its #anchor
# a heading of that file, by the name that GitHub gives it. The script also makes a folder with broken
# links and checks that it finds exactly those, to prove that it works.
#   bash tests/style/links.sh [FOLDER]      FOLDER: the root of the project, if it is not this one
set -uo pipefail

pages() { find . \( -path './.?*' -o -name build -o -name runs \) -prune -o -name '*.md' -print | sort; }

# Prints the anchors of a page, one per line. Of equal headings, the second ends with -1, the third with
# -2.
anchors() {
  awk '
    /^ *```/ { code = !code; next }
    code || !/^#+ / { next }
    {
      sub(/^#+ +/, ""); sub(/ +#* *$/, "")
      while (match($0, /\]\([^)]*\)/)) $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
      $0 = tolower($0)
      gsub(/[^a-z0-9 _-]/, "")
      gsub(/ /, "-")
      print seen[$0]++ ? $0 "-" seen[$0] - 1 : $0
    }' "$1"
}

# Prints the links of a page as "line target", without those in code.
links() {
  awk '
    /^ *```/ { code = !code; next }
    code { next }
    {
      gsub(/`[^`]*`/, "")
      while (match($0, /\]\([^)]*\)/)) {
        print FNR, substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
      }
    }' "$1"
}

# Prints "page:line: what is wrong" for every broken link below the current folder.
check_pages() {
  local page line target file anchor
  while read -r page; do
    while read -r line target; do
      case $target in http://* | https://* | mailto:*) continue ;; esac
      file=${target%%#*} anchor=
      [[ $target == *'#'* ]] && anchor=${target#*#}
      if [[ $file == /* ]]; then
        echo "$page:$line: $target is an absolute path"
        continue
      fi
      if [ -n "$file" ]; then file=$(dirname "$page")/$file; else file=$page; fi
      if [ ! -e "$file" ]; then
        echo "$page:$line: $target does not exist"
      elif [[ -n $anchor && $file == *.md ]] && ! anchors "$file" | grep -qxF -- "$anchor"; then
        echo "$page:$line: no heading has the anchor $target"
      fi
    done < <(links "$page")
  done < <(pages)
}

# Runs check_pages in a folder whose broken links are known, and fails if it reports anything else.
check_seeded() {
  local work wanted found
  work=$(mktemp -d)
  trap 'rm -rf "$work"' RETURN
  cd "$work" || return 1
  mkdir folder
  # shellcheck disable=SC2016  # the backticks are Markdown
  printf '%s\n' '# Top' '## The `key: value` of two' '```' '[code](nowhere.md)' '```' \
    'Right: [a](#top), [b](folder/page.md#twice-1), [c](folder), [d](https://example.org/x#y), `[e](f)`' \
    'Right: [f](#the-key-value-of-two)' '[g](gone.md) and [h](#gone)' '[i](folder/page.md#twice-2)' \
    '[j](/tmp)' >page.md
  printf '%s\n' '## Twice' '## Twice' '![k](gone.png)' '[l](../page.md#top)' >folder/page.md
  wanted='./folder/page.md:3: gone.png does not exist
./page.md:8: gone.md does not exist
./page.md:8: no heading has the anchor #gone
./page.md:9: no heading has the anchor folder/page.md#twice-2
./page.md:10: /tmp is an absolute path'
  found=$(check_pages)
  [ "$found" = "$wanted" ] && return
  printf 'in a folder with known broken links, these were found:\n%s\ninstead of\n%s\n' "$found" "$wanted"
  return 1
}

cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}" || exit 1
count=$(pages | wc -l)
[ "$count" -gt 0 ] || { echo "there is no Markdown file in $PWD"; exit 1; }
broken=$(check_pages)
if [ -n "$broken" ]; then
  echo "$broken"
  exit 1
fi
(check_seeded) || exit 1
echo "no link of $count Markdown files is broken"
