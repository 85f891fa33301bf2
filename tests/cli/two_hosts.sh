# Ranks on two hosts, which are network namespaces of this machine with names and addresses of their own, give the
# bits of one process. Only root can make them.
models=of_the_tree  # the program stays where its module for MPI lies
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
export ASAN_OPTIONS=detect_leaks=0  # memory that OpenMPI keeps

skip() {
  echo "skipped: $1"
  exit 77
}
command -v mpirun >/dev/null && command -v ip >/dev/null && command -v unshare >/dev/null ||
  skip "mpirun, ip or unshare is missing"
[ -e "$(dirname "$saccade")/lib/saccade/libsaccade-ranks.so" ] || skip "the program was built without MPI"
hosts=("saccade-a$$" "saccade-b$$")
remove_hosts() {
  local host
  for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null; done
}
trap 'code=$?; remove_hosts; (exit $code); end' EXIT
make_hosts() {
  ip netns add "${hosts[0]}" && ip netns add "${hosts[1]}" &&
    ip link add "sa$$" netns "${hosts[0]}" type veth peer name "sb$$" netns "${hosts[1]}" &&
    ip -n "${hosts[0]}" addr add 10.99.77.1/24 dev "sa$$" && ip -n "${hosts[1]}" addr add 10.99.77.2/24 dev "sb$$" &&
    ip -n "${hosts[0]}" link set lo up && ip -n "${hosts[1]}" link set lo up &&
    ip -n "${hosts[0]}" link set "sa$$" up && ip -n "${hosts[1]}" link set "sb$$" up
}
make_hosts >out 2>err || skip "network namespaces cannot be made here: $(head -n 1 err)"

# What mpirun calls instead of ssh: HOST COMMAND...
cat >agent <<AGENT
#!/usr/bin/env bash
shift
exec ip netns exec ${hosts[1]} unshare --uts bash -c "hostname host-b && cd $PWD && \$*"
AGENT
chmod +x agent
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
on_hosts() {
  ip netns exec "${hosts[0]}" unshare --uts bash -c "hostname host-a && exec timeout 900 mpirun --bind-to none \
    --mca plm_rsh_agent $PWD/agent --mca oob_tcp_if_include 10.99.77.0/24 --mca btl tcp,self \
    --mca btl_tcp_if_include 10.99.77.0/24 --host 10.99.77.1,10.99.77.2 -n 2 $*"
}
expect 0 on_hosts hostname
[ "$(sort out | tr '\n' ' ')" = "host-a host-b " ] || fail "the ranks are not on two hosts"
expect 0 "$saccade" train tiny.yaml --out one --report-images 0 --threads 2
expect 0 on_hosts "$saccade" train tiny.yaml --out two --report-images 0 --threads 1
[ "$(digest one)" = "$(digest two)" ] || fail "the bits on two hosts differ from those of one process"
