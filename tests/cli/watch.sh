# `caption --watch`: pictures that are in the folder or appear there, also half-written, broken and
# replaced ones.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

expect 0 "$saccade" train tiny.yaml --out run train.stop=2u train.validate_every=2u
expect 0 "$saccade" overlay run --count 4 --out pictures
mapfile -t made < <(ls pictures/*.sheet.png)
[ "${#made[@]}" -eq 4 ] || fail "there are not 4 pictures"
mkdir in
pid=

has_lines() { [ "$(wc -l <lines)" -eq "$1" ]; }
start() {
  : >lines  # otherwise the file might hold old lines until the program starts in the background
  "$saccade" caption run --watch in "$@" >lines 2>messages </dev/null &
  pid=$!
}

cp "${made[0]}" in/a.png
echo "no picture, and not called one" >in/notes.txt
cp "${made[0]}" in/.hidden.png
start
until_true has_lines 1
expect 0 "$saccade" caption run in/a.png
cmp -s out lines || fail "the line is not the one that caption prints"

# A picture is captioned only when all of it has been written.
size=$(stat -c %s "${made[1]}")
head -c $((size / 2)) "${made[1]}" >in/half.png
sleep 1
has_lines 1 || fail "half a picture was captioned"
[ ! -s messages ] || fail "half a picture was reported at once"
tail -c +$((size / 2 + 1)) "${made[1]}" >>in/half.png
until_true has_lines 2
wants "in/half.png: " lines

# A broken picture is reported once, and other pictures do not wait for it.
echo "this is text" >in/broken.jpg
until_true test -s messages
cp "${made[2]}" in/c.png
until_true has_lines 3
sleep 1
[ "$(grep -c . messages)" -eq 1 ] || fail "the broken picture was not reported once"
wants "error: in/broken.jpg: is not an image" messages
cp "${made[3]}" in/broken.jpg  # a PNG with the name of a JPEG
until_true has_lines 4
rm in/c.png
cp "${made[2]}" elsewhere.png
mv elsewhere.png in/c.png  # a picture that was removed or replaced is captioned anew
until_true has_lines 5
stop INT 130
wants "stopping: the picture that is being read is captioned first" messages

: >in/photo.HEIC
start --json
until_true has_lines 4
[ "$(grep -c "in/photo.HEIC: pictures of this kind are not read" messages)" -eq 1 ] ||
  fail "a picture that is not read was not reported once"
rm in/photo.HEIC
stop TERM 143
wants "stopping: the picture that is being read is captioned first" messages
cp lines lines.jsonl
[ "$(json lines.jsonl /3/image)" = in/half.png ] || fail "the pictures are not in the order of their names"
json lines.jsonl /0/words/0/attention/0/0 >/dev/null

# The program ends if the folder is removed or if the reader of its output ends.
cp -r in gone
: >lines
"$saccade" caption run --watch gone >lines 2>messages </dev/null &
pid=$!
until_true has_lines 4
rm -r gone
wait $pid
code=$?
pid=
[ $code -eq 5 ] || fail "the exit code of a removed folder is $code"
wants "gone: cannot be listed" messages
"$saccade" caption run --watch in 2>err </dev/null | head -n 1 >out
[ "$(grep -c . out)" -eq 1 ] || fail "head got no line"
[ ! -s err ] || fail "a reader that ended early gave an error"

expect 2 "$saccade" caption run
one_error "name pictures or a folder of them, or a folder with --watch"
expect 2 "$saccade" caption run in/a.png --watch in
one_error "--watch captions what is in in"
expect 2 "$saccade" caption run --watch nowhere
one_error "nowhere: is not a folder"
exit 0
