package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/internal/fleet"
	"gpuperf/internal/fleet/slurm"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

func fleetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Calibrate, evaluate, search and rank on many GPUs",
		Long: `fleet does the work that a campaign file lists (perf help campaign) on many devices: as a job array of Slurm, or by processes on this host. Every
device calibrates, evaluates and measures all that is listed; searches and rankings are dealt out in parts. Nothing of two devices is pooled:
each has samples and a profile of its own, and a table compares the devices.

All hosts must see the folder of the campaign file. Workers may be killed; those that run again resume.`,
	}
	cmd.AddCommand(fleetSubmitCommand(), fleetRunCommand(), fleetStatusCommand(), fleetMergeCommand())
	return cmd
}

// addOutput adds the flag of the folder of shards.
func addOutput(cmd *cobra.Command) {
	cmd.Flags().StringP("output", "o", "", "the folder for the shards and what is merged of them (default: that of the campaign file)")
}

// loadCampaign reads a campaign file, and checks the flags in it against those of the commands.
func loadCampaign(cmd *cobra.Command, path string) *fleet.File {
	f := throw.Get(fleet.Load(path))
	f.Host = host()
	if output := cmd.Flag("output").Value.String(); output != "" {
		f.Output = throw.Get(filepath.Abs(output))
	}
	for _, w := range f.Work {
		of, _ := throw.Get2(cmd.Root().Find(w.Kind.Command))
		for _, flag := range w.Flags {
			if of.Flag(flag.Name) == nil {
				var names []string
				of.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
				panic(throw.Of(f.ErrorAt(flag.Pos, "%s has no flag --%s", of.CommandPath(), flag.Name).WithHint("%s", source.Suggest(flag.Name, names))))
			}
		}
	}
	return f
}

// shardsOf is the number of shards that a campaign was last given to; where it never was, that of the file.
func shardsOf(f *fleet.File) (int, []fleet.Submission) {
	all, err := f.Submissions()
	if err != nil || len(all) == 0 {
		throw.If(err)
		return f.Shards * f.Devices, nil
	}
	return all[len(all)-1].Shards, all
}

// queue asks Slurm for the tasks of a campaign. Where that cannot be, a note says so.
func queue(cmd *cobra.Command, all []fleet.Submission) fleet.Tasks {
	tasks, err := slurm.Queue(cmd.Context(), all)
	if err != nil {
		note(cmd, "what is queued is not known: %v", err)
	}
	return tasks
}

// showStatus prints how far the shards are.
func showStatus(cmd *cobra.Command, f *fleet.File, count int, tasks fleet.Tasks) {
	s := throw.Get(f.Status(count, tasks, time.Now()))
	throw.If(show(cmd, s, s.Write))
}

func fleetSubmitCommand() *cobra.Command {
	var asSlurm, dry bool
	cmd := &cobra.Command{
		Use:   "submit CAMPAIGN.yaml --slurm",
		Short: "Submit the shards of a campaign that have work left, as a job array",
		Long: `submit writes a batch script and gives it to sbatch, with a task for each shard that has work left and is neither running nor queued. The same
command again submits what was killed, has failed, or has never started. Options of sbatch, such as the partition, stand in the campaign file.
A task that is preempted, or whose node fails, is queued again by Slurm; one that reaches its time limit queues itself again.`,
		Example: `  perf fleet submit examples/fleet/predict.yaml --slurm --dry-run -o out`,
		Args:    exactArgs(1, "a campaign file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f := loadCampaign(cmd, args[0])
			if !asSlurm {
				return usagef("say by what the campaign is run: --slurm\n    on the devices of this host: perf fleet run %s", args[0])
			}
			self := throw.Get(os.Executable())
			_, before := shardsOf(f)
			count := f.Shards * f.Devices
			var tasks fleet.Tasks
			if !dry {
				tasks = throw.Get(slurm.Queue(cmd.Context(), before)) // what is queued must not be submitted twice
			}
			status := throw.Get(f.Status(count, tasks, time.Now()))
			todo := slurm.TasksOf(f, status.Left())
			if len(todo) == 0 {
				return showText(cmd, map[string]any{"tasks": []int{}}, "nothing to submit: every shard is done, running or queued\n")
			}
			script := filepath.Join(f.Output, "array.sh")
			text := slurm.Script(f, self)
			command := strings.Join(slurm.Command(script, todo), " ")
			if dry {
				return showText(cmd, map[string]any{"script": text, "command": command, "tasks": todo}, text+"\n# "+command+"\n")
			}
			throw.If(errors.Join(os.MkdirAll(f.Logs(), 0o755), os.WriteFile(script, []byte(text), 0o755)))
			job := throw.Get(slurm.Submit(cmd.Context(), script, todo))
			throw.If(f.Submitted(fleet.Submission{Shards: count, Job: job, Tasks: todo}))
			return showText(cmd, map[string]any{"job": job, "tasks": todo, "command": command, "logs": f.Logs()},
				fmt.Sprintf("job %s: %s, %s\nlogs: %s\n", job, format.Count(len(todo), "task"), slurm.Array(todo), f.Logs()))
		},
	}
	addOutput(cmd)
	cmd.Flags().BoolVar(&asSlurm, "slurm", false, "as a job array of Slurm")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print the batch script and the command, and submit nothing")
	return cmd
}

func fleetRunCommand() *cobra.Command {
	var workers int
	var query string
	cmd := &cobra.Command{
		Use:   "run CAMPAIGN.yaml [--workers 2]",
		Short: "Run a campaign on the devices of this host, a process each",
		Long: `run starts workers on this host, each with a device and a shard of its own, and waits for them. Without --workers it starts as many as the campaign
file says under devices. The first device is that of --device; others are of the same type.`,
		Example: `  perf fleet run examples/fleet/predict.yaml --workers 2 -o fleet`,
		Args:    exactArgs(1, "a campaign file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f := loadCampaign(cmd, args[0])
			throw.If(atLeast(0, map[string]int64{"workers": int64(workers)}))
			n := cmp.Or(workers, f.Devices)
			throw.If(f.Submitted(fleet.Submission{Shards: n}))
			startWorkers(cmd, f, fleet.Shard{Index: 0, Count: 1}.Split(n), query)
			showStatus(cmd, f, n, nil)
			return nil
		},
	}
	addOutput(cmd)
	cmd.Flags().IntVar(&workers, "workers", 0, "workers to start (default: the devices of a task in the campaign file)")
	cmd.Flags().StringVar(&query, "device", "", "the first device: an index or part of a name as perf devices lists them")
	return cmd
}

func fleetStatusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status CAMPAIGN.yaml",
		Short: "Show how far the shards of a campaign are",
		Long: `status reads the journals of the shards. A shard is running if its worker has shown within the last minute that it lives, and is not known to be gone; stopped if the worker
has ended or was killed with work left; failed if some of its units did. Where there is squeue, it tells which tasks are queued.`,
		Example: `  perf fleet status examples/fleet/predict.yaml -o fleet`,
		Args:    exactArgs(1, "a campaign file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f := loadCampaign(cmd, args[0])
			count, all := shardsOf(f)
			showStatus(cmd, f, count, queue(cmd, all))
			return nil
		},
	}
	addOutput(cmd)
	return cmd
}

func fleetMergeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge CAMPAIGN.yaml",
		Short: "Collect samples and profiles of each device, and compare the devices",
		Long: `merge collects what the shards have done so far, in the folder merged of the campaign's output: for each device a folder with its samples and its
profile, which perf profile import takes. Devices are told apart by UUID, without one by host and place there, and by driver. A table compares them:
parameters of models, errors, times. Merging again replaces what was merged before; shards are only read.`,
		Example: `  perf fleet merge examples/fleet/predict.yaml -o fleet`,
		Args:    exactArgs(1, "a campaign file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f := loadCampaign(cmd, args[0])
			count, _ := shardsOf(f)
			defer collect(keepsMuch)()
			m := throw.Get(f.Merge(count))
			for _, w := range m.Warnings {
				note(cmd, "%s", w)
			}
			return show(cmd, m, m.Write)
		},
	}
	addOutput(cmd)
	return cmd
}
