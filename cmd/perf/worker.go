package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/device/cuda"
	"gpuperf/device/measure"
	"gpuperf/device/opencl"
	"gpuperf/internal/fleet"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
)

// deviceWorkerCommand is what measure starts: the process that touches the device.
func deviceWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    measure.WorkerArg,
		Hidden: true,
		Args:   exactArgs(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if measure.WorkerMain(device.Backends{&cuda.Backend{}, &opencl.Backend{}}) != 0 {
				return errReported
			}
			return nil
		},
	}
}

func workerCommand() *cobra.Command {
	var shard, query string
	var workers int
	cmd := &cobra.Command{
		Use:   "worker CAMPAIGN.yaml --shard 3/16",
		Short: "Do one shard of a campaign; what perf fleet starts",
		Long: `worker does the work of one shard of a campaign (perf fleet), on one device: the default one, or that of --device. It keeps a journal
of its shard in the campaign's output folder. It may be killed at any time: the same command resumes where it was. Shards count from 0.

With --workers it starts so many processes on this host, each with a device and a part of the shard: shard 1/4 with 2 workers is 2/8 and 3/8.`,
		Example: `  perf worker examples/fleet/predict.yaml --shard 0/2 -o fleet`,
		Args:    exactArgs(1, "a campaign file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f := loadCampaign(cmd, args[0])
			s, err := fleet.ParseShard(shard)
			if err != nil {
				return usagef("--shard %v", err)
			}
			throw.If(atLeast(1, map[string]int64{"workers": int64(workers)}))
			if workers > 1 {
				startWorkers(cmd, f, s.Split(workers), query)
				showStatus(cmd, f, s.Count*workers, nil)
				return nil
			}
			work(cmd, f, s, query)
			return nil
		},
	}
	addOutput(cmd)
	cmd.Flags().StringVar(&shard, "shard", "0/1", "the shard, as number/count")
	cmd.Flags().IntVar(&workers, "workers", 1, "processes to start, each with a device of this host")
	cmd.Flags().StringVar(&query, "device", "", "the device: an index or part of a name as perf devices lists them")
	return cmd
}

// work does a shard in this process.
func work(cmd *cobra.Command, f *fleet.File, s fleet.Shard, query string) {
	w := &fleet.Worker{File: f, Shard: s, Job: slurmTask(), Note: func(format string, args ...any) { note(cmd, format, args...) }}
	w.Device.Host = f.Host
	if f.NeedsDevice(s) {
		all := throw.Get(measure.Devices(cmd.Context(), measure.Options{}))
		w.Device.Index = throw.Get(device.Select(all, query))
		w.Device.Fingerprint = all[w.Device.Index].Fingerprint
	}
	throw.If(os.Chdir(f.Dir()))
	w.Run = func(ctx context.Context, data string, args []string) ([]byte, error) {
		if err := os.Setenv("PERF_DATA", data); err != nil {
			return nil, err
		}
		var out bytes.Buffer
		if status := run(ctx, args, bytes.NewReader(nil), &out, cmd.ErrOrStderr().(*messages).w); status != exitDone {
			var said struct{ Error failure }
			json.Unmarshal(out.Bytes(), &said)
			return nil, errors.New(cmp.Or(said.Error.Message, fmt.Sprintf("exit status %d", status)))
		}
		return out.Bytes(), nil
	}
	out := throw.Get(w.Work(cmd.Context()))
	err := show(cmd, out, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "shard %s on %s: %s done, %d before, %d failed, %d left\n", out.Shard, out.Device, format.Count(out.Done, "unit"),
			out.Before, len(out.Failed), out.Waiting)
		return err
	})
	throw.If(errors.Join(err, out.Err()))
}

// host is the name of this machine, as Slurm knows it where this is a task of it.
func host() string {
	name, _ := os.Hostname()
	return cmp.Or(os.Getenv("SLURMD_NODENAME"), name)
}

// slurmTask names the task of Slurm that this process is, as 1234_5; "" where it is none.
func slurmTask() string {
	if job := os.Getenv("SLURM_ARRAY_JOB_ID"); job != "" {
		return job + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	}
	return ""
}

// startWorkers starts a process for each shard, and waits for them.
func startWorkers(cmd *cobra.Command, f *fleet.File, shards []fleet.Shard, query string) {
	self := throw.Get(os.Executable())
	local := fleet.Local{Program: []string{self, "worker", f.Path, "--output=" + f.Output}, Shards: shards}
	tell := func(line string) { note(cmd, "%s", line) }
	local.Streams = func(i int) (io.Writer, io.Writer, error) {
		log, err := f.Log(shards[i], tell)
		return io.Discard, log, err
	}
	if f.NeedsDevice(fleet.Shard{Index: 0, Count: 1}) {
		all := throw.Get(measure.Devices(cmd.Context(), measure.Options{}))
		local.Devices = throw.Get(fleet.Choose(all, query, len(shards)))
	}
	throw.If(local.Run(cmd.Context()))
}
