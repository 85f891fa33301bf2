#!/usr/bin/env bash
# Do the links of all Markdown files lead somewhere? Every relative link has to name a file that is
# there, and every #anchor a heading of it, as GitHub names headings. Also checks a folder with broken
# links of its own making, to prove that it would find them.
#   bash tests/style/links.sh [FOLDER]      FOLDER: of another project than this one
set -uo pipefail

pages() { find . \( -path './.?*' -o -name build -o -name runs \) -prune -o -name '*.md' -print | sort; }

# The anchors of a page, one a line. Of equal headings the second ends with -1, the third with -2.
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

# The links of a page: "line target", without those in code.
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

# Prints "page:line: what is wrong" for every broken link below the folder we are in.
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
        echo "$page:$line: there is no $target"
      elif [[ -n $anchor && $file == *.md ]] && ! anchors "$file" | grep -qxF -- "$anchor"; then
        echo "$page:$line: there is no heading for $target"
      fi
    done < <(links "$page")
  done < <(pages)
}

# What check_pages finds in a folder whose faults are known.
check_seeded() {
  local work wanted found
  work=$(mktemp -d)
  trap 'rm -rf "$work"' RETURN
  cd "$work" || return 1
  mkdir folder
  # shellcheck disable=SC2016  # those are no expansions
  printf '%s\n' '# Top' '## The `key: value` of two' '```' '[code](nowhere.md)' '```' \
    'Right: [a](#top), [b](folder/page.md#twice-1), [c](folder), [d](https://example.org/x#y), `[e](f)`' \
    'Right: [f](#the-key-value-of-two)' '[g](gone.md) and [h](#gone)' '[i](folder/page.md#twice-2)' \
    '[j](/tmp)' >page.md
  printf '%s\n' '## Twice' '## Twice' '![k](gone.png)' '[l](../page.md#top)' >folder/page.md
  wanted='./folder/page.md:3: there is no gone.png
./page.md:8: there is no gone.md
./page.md:8: there is no heading for #gone
./page.md:9: there is no heading for folder/page.md#twice-2
./page.md:10: /tmp is an absolute path'
  found=$(check_pages)
  [ "$found" = "$wanted" ] && return
  printf 'of seeded faults this was found:\n%s\ninstead of\n%s\n' "$found" "$wanted"
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
echo "the links of $count Markdown files lead somewhere"
