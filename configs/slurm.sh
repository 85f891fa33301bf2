#!/usr/bin/env bash
# Trains one run on several machines of a cluster with Slurm, and continues it when its time is over:
#   sbatch configs/slurm.sh CONFIG OUT [KEY=VALUE...]
# All machines see the same files. Change the next lines to what your cluster has; nodes times tasks is a power of two
# that train.gradient_groups can be divided by.
#SBATCH --job-name=saccade
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=12:00:00
#SBATCH --signal=USR1@180
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
config=$1 out=$2
shift 2

# Three minutes before the end every process gets SIGUSR1: the run is saved and ends with exit code 138.
srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" \
  saccade train "$config" --out "$out" --resume --threads "$SLURM_CPUS_PER_TASK" "$@"
code=$?
[ $code -ne 138 ] || scontrol requeue "$SLURM_JOB_ID"
exit $code
