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

# An attention of one's own is trained by somebody's program; the library itself writes nothing.
plugin=examples/libown_attention.so
score=attention.score=mine.tanh
expect 0 prefix/bin/saccade data tiny.yaml --out sheets
expect 0 examples/train_and_caption tiny.yaml run sheets/test.png $plugin $score
[ -s err ] && fail "the library wrote to the terminal"
[ "$(grep -c ': loss ' out)" -eq 24 ] || fail "24 updates were asked for"
[ "$(wc -l <out)" -eq 25 ] || fail "no caption"
caption=$(tail -n 1 out)
expect 7 examples/train_and_caption tiny.yaml run sheets/test.png $plugin $score
one_error "run: exists and is not empty"
# The program has what the library exports, and so opens the same plugin.
exported() { nm -D --defined-only --demangle "$1" | sed 's/^[0-9a-f ]*[A-Za-z] //' | grep '^saccade::f32::' | sort -u; }
missing=$(comm -23 <(exported $library) <(exported prefix/libexec/saccade/saccade))
[ -n "$(exported $library)" ] || fail "the library exports nothing"
[ -z "$missing" ] || fail "the program does not export: $(head -n 3 <<<"$missing")"
program=prefix/bin/saccade
expect 0 $program caption run sheets/test.png --plugin $plugin
[ "$(sed 's/^[^:]*: //' out)" = "$caption" ] || fail "another caption than the library's: $caption"
expect 0 $program --plugin $plugin list attention
wants "mine.tanh" out
expect 0 $program train tiny.yaml --out own --plugin $plugin $score train.stop=4u --report-images 2
expect 0 $program train --out own --resume --plugin $plugin train.stop=8u
[ "$(grep -c '"event":"resume"' own/metrics.jsonl)" -eq 1 ] || fail "the run was not resumed"
for command in "evaluate own" "overlay own sheets/test.png --out drawn" "inspect own" "report own --out own.html" \
    "convert own own.safetensors"; do
  expect 0 $program $command --plugin $plugin
done
expect 0 $program inspect own --json --plugin $plugin
{ cat tiny.yaml; printf 'compare:\n  axes: {attention.score: [additive, mine.tanh]}\n  seeds: [1]\n'; } >both.yaml
expect 0 $program compare both.yaml --out both --jobs 2 --report-images 0 --plugin $plugin --json train.stop=2u
[ "$(json out /arms/1/name)" = score=mine.tanh ] || fail "no arm of the plugin's score: $(json out /arms/1/name)"
# Without the plugin, one line says which is missing.
lost="attention.score: 'mine.tanh' belongs to the plugin 'mine', which is not loaded; give its shared library (--plugin FILE"
for command in "examples/caption_and_draw run sheets/test.png drawing.png" "$program caption run sheets/test.png" \
    "$program evaluate own" "$program inspect own" "$program serve own --port 0"; do
  expect 4 $command
  one_error "$lost"
done
for command in "train tiny.yaml --out other $score" "train --out own --resume" "compare both.yaml --out third"; do
  expect 2 $program $command
  one_error "$lost"
done
# What is no plugin, or one of another version.
expect 3 $program caption run sheets/test.png --plugin missing.so
one_error "missing.so: there is no such file"
expect 3 $program caption run sheets/test.png --plugin tiny.yaml
one_error "tiny.yaml: cannot be loaded as a plugin" "headers of this saccade"
expect 3 $program caption run sheets/test.png --plugin $library
one_error "libsaccade.so: is a library and no plugin"
mkdir headers
cp -r prefix/include/saccade headers/
sed -i 's/headers [0-9a-f]*"/headers 0123456789ab"/' headers/saccade/core/attention/plugin.h
expect 0 c++ -std=c++20 -shared -fPIC -I headers "$examples/own_attention.cpp" -o old.so
expect 3 $program caption run sheets/test.png --plugin old.so
one_error "old.so: the plugin was built for saccade 0.1.0, headers 0123456789ab" "build it"
# One without a function that the library has.
sed 's/ops::tanh(ops::linear(q/ops::tanhh(ops::linear(q/' "$examples/own_attention.cpp" >lacks.cpp
sed -i 's/^Var tanh(Var/Var tanhh(Var x);\n&/' headers/saccade/core/ops/pointwise.h
cp prefix/include/saccade/core/attention/plugin.h headers/saccade/core/attention/
expect 0 c++ -std=c++20 -shared -fPIC -I headers lacks.cpp -o lacks.so
expect 3 $program caption run sheets/test.png --plugin lacks.so
one_error "lacks.so: cannot be loaded as a plugin: undefined symbol" "build it"
cp $plugin copy.so
expect 2 $program caption run sheets/test.png --plugin $plugin --plugin copy.so
one_error "copy.so: the plugin 'mine' is loaded already, from" "libown_attention.so"

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
