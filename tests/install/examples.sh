# The library is installed into an empty folder. The examples are built against it alone, as somebody else's
# project, and run: a captioner with an attention of its own is trained, captions, is drawn, and is scored.
build=$3
libraries=$4
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../experiments/examples" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/../cli/support.sh"

expect 0 cmake --install "$build" --prefix "$work/prefix"
library=prefix/$libraries/libsaccade.so
[ -f $library ] && [ -x prefix/bin/saccade ] && [ -x prefix/libexec/saccade/saccade ] || fail "library or program is not installed"
# Messages name a page that is installed.
expect 0 prefix/bin/saccade config check prefix/share/saccade/configs/flickr8k-soft.yaml
wants "(prefix/share/saccade/configs/README.md says where published data and networks are)" err
[ -f prefix/share/saccade/configs/README.md ] || fail "the page that messages name is not installed"

# Nothing of this build reaches those who use it.
targets=$(echo prefix/$libraries/cmake/saccade/saccade-targets*.cmake)
grep -qE -e "-march|-W[a-z]|-f[a-z]|$build|\.h\.gch|fetch|::[a-z]*pch" $targets && fail "flags or paths leak: $targets"
grep -rn '#include "[^s]' prefix/include && fail "an installed header includes what is not installed"
grep -rnE '#include <[a-z_0-9]+[./]' prefix/include && fail "an installed header includes another library"
# Editors and Doxygen see the comments, and these point to nothing that is not there.
undocumented=$(grep -rL '///' prefix/include)
[ -z "$undocumented" ] || fail "a header without a comment of Doxygen's: $undocumented"
for named in $(grep -rhoE '[a-z0-9_]+\.(h|cpp|def)\b' prefix/include | sort -u); do
  [ -n "$(find prefix/include -name "$named")" ] || fail "an installed header names $named, which is not installed"
done
for one in $library prefix/$libraries/libsaccade-scoring.so; do
  foreign=$(nm -D --defined-only --demangle $one | grep -v 'saccade::' | grep -v ' A ')
  [ -z "$foreign" ] || fail "$one exports names of others: $(head -n 3 <<<"$foreign")"
done

expect 0 cmake -G Ninja -S "$examples" -B examples -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror"
expect 0 cmake --build examples

# An attention of one's own is trained; the library itself writes nothing.
expect 0 prefix/bin/saccade data tiny.yaml --out sheets
expect 0 examples/own_attention tiny.yaml run sheets/test.png
[ -s err ] && fail "the library wrote to the terminal"
[ "$(grep -c ': loss ' out)" -eq 24 ] || fail "24 updates were asked for"
[ "$(wc -l <out)" -eq 25 ] || fail "no caption"
expect 7 examples/own_attention tiny.yaml run sheets/test.png
one_error "run: exists and is not empty"
# Without the registry, the error is clear; the program `saccade` has none.
for program in "examples/caption_and_draw run sheets/test.png drawing.png" "prefix/bin/saccade caption run sheets/test.png"; do
  expect 4 $program
  one_error "attention.score: 'tanh' is not one of additive" "AttentionRegistry"
done

# A run of the program is captioned and drawn by another program, with the caption that the program gives.
expect 0 prefix/bin/saccade train tiny.yaml --out soft --report-images 0
expect 0 prefix/bin/saccade caption soft sheets/test.png
caption=$(sed 's/^[^:]*: //' out)
expect 0 examples/caption_and_draw soft sheets/test.png drawing.png
[ "$(head -n 1 out)" = "$caption" ] || fail "another caption than the program's: $caption"
[ "$(wc -w <<<"$caption")" -eq "$(($(wc -l <out) - 1))" ] || fail "there is not one line per word"
[ "$(head -c 4 drawing.png | tail -c 3)" = PNG ] || fail "no drawing"
expect 3 examples/caption_and_draw soft missing.png drawing.png
one_error missing.png
damaged_pictures
expect 3 examples/caption_and_draw soft damaged.png drawing.png
one_error "damaged.png" "incorrect data check"
expect 0 examples/caption_and_draw soft damaged.jpg drawing.png
[ -s err ] && fail "the library wrote to the terminal"

# The same scores as the program's, without the libraries of models.
heavy=$(ldd examples/score_captions | grep -E 'opencv|dnnl|hdf5|yaml')
[ -z "$heavy" ] || fail "scoring loads libraries of models: $heavy"
printf 'a red square\tthe red square\na small blue circle\n' >references.txt
printf 'a red square\na blue circle\n' >results.txt
expect 0 prefix/bin/saccade score references.txt results.txt --json
cider=$(json out /corpus/CIDEr)
expect 0 examples/score_captions references.txt results.txt
got=$(sed -n 's/^CIDEr \([^ ]*\) .*/\1/p' out)
[ "$(printf %.4f "$cider")" = "$(printf %.4f "$got")" ] || fail "CIDEr $got instead of $cider"
expect 0 examples/score_captions
exit 0
