#!/bin/bash
#SBATCH --job-name=spring
#SBATCH --output="/home/u ser/spring.fleet/logs/%a.log"
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60
#SBATCH --partition=gpu
#SBATCH --gpus-per-task=2
#SBATCH --time=00:30:00
#SBATCH --exclusive
#SBATCH --comment="it's mine"

module load cuda
export A=1
# Slurm sends USR1 60 s before the time limit: the worker stops, and the task goes back to the queue, where it left off.
requeue() {
  trap '' USR1
  kill -TERM "$worker"
  wait "$worker"
  if [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
  fi
  exit 1
}
trap requeue USR1
'/opt/it'\''s/perf' worker '/home/u ser/spring.yaml' --output '/home/u ser/spring.fleet' --shard "$SLURM_ARRAY_TASK_ID/4" --workers 2 &
worker=$!
wait "$worker"
