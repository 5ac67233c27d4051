// Package slurm gives the shards of a campaign to Slurm as a job array: the batch script, its submission, and what the queue says of its tasks.
package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/fleet"
)

// stopBefore is how long before the time limit of a task its worker is told to stop, in seconds.
const stopBefore = 60

// mostRestarts bounds how often a task puts itself back into the queue at its time limit.
const mostRestarts = 100

// Script is the batch script of a campaign: each task of the array runs the worker of one shard. Perf is the path of this program.
//
// A task that Slurm kills, or that ends at its time limit, goes back to the queue and resumes from the journals of its shard.
func Script(f *fleet.File, perf string) string {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	option := func(name, value string) {
		if value == "true" {
			fmt.Fprintf(&b, "#SBATCH --%s\n", name)
			return
		}
		if strings.ContainsAny(value, " \t#") {
			value = strconv.Quote(value)
		}
		fmt.Fprintf(&b, "#SBATCH --%s=%s\n", name, value)
	}
	option("job-name", f.Name)
	option("output", strings.ReplaceAll(f.Logs(), "%", "%%")+"/%a.log")
	option("open-mode", "append")
	option("signal", fmt.Sprintf("B:USR1@%d", stopBefore))
	for _, o := range f.Slurm.Options {
		option(o.Name, o.Value)
	}
	b.WriteString("\n")
	for _, line := range f.Slurm.Setup {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, `# Slurm sends USR1 %d s before the time limit: the worker stops, and the task goes back to the queue, where it left off.
requeue() {
  trap '' USR1
  kill -TERM "$worker"
  wait "$worker"
  if [ "${SLURM_RESTART_COUNT:-0}" -lt %d ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
  fi
  exit 1
}
trap requeue USR1
%s worker %s --output %s --shard "$SLURM_ARRAY_TASK_ID/%d" --workers %d &
worker=$!
wait "$worker"
`, stopBefore, mostRestarts, quoted(perf), quoted(f.Path), quoted(f.Output), f.Shards, f.Devices)
	return b.String()
}

func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// Array writes the numbers of tasks, in ascending order, as --array takes them: "0-3,7".
func Array(tasks []int) string {
	var parts []string
	for i := 0; i < len(tasks); {
		end := i
		for end+1 < len(tasks) && tasks[end+1] == tasks[end]+1 {
			end++
		}
		part := strconv.Itoa(tasks[i])
		if end > i {
			part += "-" + strconv.Itoa(tasks[end])
		}
		parts = append(parts, part)
		i = end + 1
	}
	return strings.Join(parts, ",")
}

// Command is the command line that submits a batch script.
func Command(script string, tasks []int) []string {
	return []string{"sbatch", "--parsable", "--array=" + Array(tasks), "--requeue", script}
}

// Submit submits a batch script for some of its tasks, and returns the number of the job.
func Submit(ctx context.Context, script string, tasks []int) (job string, err error) {
	out, err := run(ctx, Command(script, tasks))
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // of "123;cluster"
	if _, err := strconv.Atoi(job); err != nil {
		return "", fmt.Errorf("sbatch has not answered with the number of a job: %q", out)
	}
	return job, nil
}

// Queue are the tasks of a campaign's jobs that Slurm still has.
func Queue(ctx context.Context, submissions []fleet.Submission) (fleet.Tasks, error) {
	tasks := fleet.Tasks{}
	for _, s := range submissions {
		if s.Job == "" {
			continue
		}
		out, err := run(ctx, []string{"squeue", "--noheader", "--array", "--jobs=" + s.Job, "--format=%K|%T|%r"})
		if err != nil && strings.Contains(err.Error(), "Invalid job id") {
			continue // it ended a while ago
		} else if err != nil {
			return nil, err
		}
		read(out, tasks)
	}
	return tasks, nil
}

// read adds the tasks of squeue's lines, "3|PENDING|Resources".
func read(out string, tasks fleet.Tasks) {
	for line := range strings.Lines(out) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 3 {
			continue
		}
		n, err := strconv.Atoi(cells[0])
		if err != nil {
			continue
		}
		state := strings.ToLower(cells[1])
		if reason := cells[2]; state == "pending" && reason != "None" && reason != "" {
			state += ", " + reason
		}
		tasks[n] = state
	}
}

// run runs a program of Slurm.
func run(ctx context.Context, command []string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s is not on this machine: run this where jobs are submitted, or perf fleet run on a machine with the devices", command[0])
	case err != nil:
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}

// TasksOf are the tasks of an array that do some of the shards: a task does as many as it has devices.
func TasksOf(f *fleet.File, shards []fleet.ShardStatus) (tasks []int) {
	for _, s := range shards {
		tasks = append(tasks, s.Number()/f.Devices)
	}
	slices.Sort(tasks)
	return slices.Compact(tasks)
}
