# The functions of support.sh end the script that calls them when they fail, wherever they are called. Each
# case is a script of its own, whose program prints {} whatever it is asked.
support=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/support.sh
. "$support"

printf '#!/bin/sh\necho "{}"\n' >program
chmod +x program
echo '{"a": 1}' >known.json

# ends CODE LINE: fails unless a script with this line after support.sh ends with this exit code.
ends() {
  local code
  printf '. "%s"\ncp "%s" .\n%s\nexit 0\n' "$support" "$work/known.json" "$2" >script.sh
  bash script.sh "$work/program" "$json_value" >out 2>err
  code=$?
  [ $code -eq "$1" ] || fail "exit code $code instead of $1: $2"
  [ "$1" -eq 0 ] || wants FAILED err
}

ends 0 '[ "$(json known.json /a)" -eq 1 ] || fail wrong'
ends 0 '(wants a known.json); ! grep -q b known.json'
while IFS= read -r script; do
  ends 1 "$script"
done <<'SCRIPTS'
fail here
found=$(json known.json /b)
[ "$(json known.json /b)" != 2 ] || fail "not reached"
echo "$(json known.json /a) $(json known.json /b)" >two
for key in a b; do json known.json /$key >/dev/null; done
(wants b known.json)
(cd / && wants b "$work/known.json") || true
echo line | while read -r _; do wants b known.json; done
(echo "$(fail "two subshells deep")")
expect 0 "$saccade" && one_error text
[ "$(digest run)" = "$(digest other)" ] || fail "not reached"
same_bits name
SCRIPTS

# No script ends before its last line: what stands behind an exit would never run.
for script in "$(dirname "$support")"/*.sh; do
  early=$(grep -n '^exit' "$script" | grep -v "^$(wc -l <"$script"):" | head -n 1)
  [ -z "$early" ] || fail "$script ends in line ${early%%:*}, before its last one"
done
exit 0
