// Package counters has the hardware's own counts of kernels, taken by NVIDIA's Nsight Compute (ncu), beside those of package launch.
//
// A Work is a launch to count. A Source counts: Live runs a batch of launches in a worker process under ncu, through CUDA, as ncu does not
// see OpenCL; Recorded has what Live wrote to a file. Beside the metrics of a launch (rows.go) there is its machine code, with how often each
// instruction was executed (code.go). Results compares.
package counters

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gpuperf/device/measure"
	"gpuperf/internal/cname"
	"gpuperf/internal/throw"
	"gpuperf/internal/toolkit"
	"gpuperf/samples"
	"gpuperf/samples/exchange"
)

// ErrNoNCU says that Nsight Compute is not there.
var ErrNoNCU = errors.New("ncu was not found")

// Find looks for ncu on the PATH and where it is installed.
func Find() (string, error) {
	if path := toolkit.Find("ncu", "/opt/nvidia/nsight-compute/*/ncu"); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("%w\n    install Nsight Compute (package nsight-compute, or the CUDA toolkit) and put ncu on the PATH", ErrNoNCU)
}

// ncu is how it is run.
type ncu struct {
	path   string
	device string   // the query for the device, of those of CUDA
	worker []string // the command line of the worker
}

// Counted is what the hardware has counted of a work.
type Counted struct {
	Record samples.Record
	Code   []Instruction // of its launches; nil where it was not asked for
}

// count runs works in one worker, and returns the metrics of each, or an error about all of them. Where the code is wanted, ncu counts how
// often each instruction is executed.
func (n *ncu) count(ctx context.Context, works []Work, mode samples.Mode, metrics []string, code bool) ([]Counted, error) {
	folder, err := os.MkdirTemp("", "perf-ncu-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	log, report := filepath.Join(folder, "ncu.log"), filepath.Join(folder, "launches.ncu-rep")
	dev, err := measure.Open(ctx, samples.CUDA.String()+":"+n.device, measure.Options{
		Command: n.command(works, log, report, mode, metrics, code), StartLimit: 2 * time.Minute, Deadline: 5 * time.Minute, Grace: 5 * time.Minute,
	})
	if err != nil {
		return nil, explain(err, log)
	}
	out := make([]Counted, len(works))
	launches := 0
	for i, w := range works {
		w.Job.Policy = counting
		out[i].Record = w.Job.Record()
		out[i].Record.Device, out[i].Record.Mode = dev.Info().Fingerprint, mode
		if _, err = dev.Run(ctx, w.Job); err != nil {
			break
		}
		launches += len(w.Job.Launches())
	}
	dev.Close() // and ncu writes what it has counted
	if err != nil {
		return nil, explain(err, log)
	}
	counted, err := n.read(ctx, folder, report, code)
	if err == nil && len(counted) != launches {
		err = fmt.Errorf("ncu has counted %d launches of %d", len(counted), launches)
	}
	if err != nil {
		return nil, explain(err, log)
	}
	for i, w := range works {
		r, own := &out[i].Record, counted[:len(w.Job.Launches())]
		counted = counted[len(own):]
		r.Status, r.Origin, r.Time, r.Metrics = samples.OK, "ncu", time.Now(), together(own)
		for _, l := range own {
			out[i].Code = append(out[i].Code, l.code...)
		}
	}
	return out, nil
}

// countAlone counts what is not to be disturbed by counting, in a run of its own, in place of what was counted of works before.
func (n *ncu) countAlone(ctx context.Context, works []Work, counted []Counted, mode samples.Mode) error {
	again, err := n.count(ctx, works, mode, alone, false)
	for i := range again {
		maps.Copy(counted[i].Record.Metrics, again[i].Record.Metrics)
	}
	return err
}

// launched is what ncu tells of a launch.
type launched struct {
	metrics map[string]samples.Metric
	code    []Instruction
}

// together are the metrics of launches in a row: numbers are added up, and rates are averages over their time.
func together(all []launched) map[string]samples.Metric {
	if len(all) == 1 {
		return all[0].metrics
	}
	sum, time := map[string]samples.Metric{}, 0.0
	for _, l := range all {
		own := l.metrics["gpu__time_duration.sum"].Value
		for name, m := range l.metrics {
			if !isSum(name) {
				m.Value *= own
			}
			m.Value += sum[name].Value
			sum[name] = m
		}
		time += own
	}
	for name, m := range sum {
		if !isSum(name) {
			m.Value /= time
			sum[name] = m
		}
	}
	return sum
}

// isSum reports whether a metric is a number of events.
func isSum(name string) bool { return strings.HasSuffix(name, ".sum") || name == barriers }

// command runs the worker under ncu, which counts the launches that the worker tells it of, without those of the worker's own kernels.
func (n *ncu) command(works []Work, log, report string, mode samples.Mode, metrics []string, code bool) []string {
	var entries []string
	for _, w := range works {
		for _, l := range w.Job.Launches() {
			entries = append(entries, cname.Base(l.Entry))
		}
	}
	cache := map[samples.Mode]string{samples.Warm: "none", samples.Cold: "all"}[mode]
	command := []string{
		n.path, "--log-file", log, "--export", report, "--profile-from-start", "off", "--clock-control", "none", "--cache-control", cache,
		"--kernel-name-base", "function", "--kernel-name", "regex:^(" + strings.Join(entries, "|") + ")$",
		"--metrics", strings.Join(metrics, ","),
	}
	if code {
		command = append(command, "--section", "SourceCounters")
	}
	return append(command, n.worker...)
}

// read has ncu print its report as tables, and reads them.
func (n *ncu) read(ctx context.Context, folder, report string, code bool) (_ []launched, err error) {
	defer throw.Catch(&err)
	path := n.page(ctx, folder, report, "raw")
	all := throw.Get(exchange.Launches(path))
	out := make([]launched, len(all))
	for i, m := range all {
		out[i].metrics = kept(m)
	}
	if !code {
		return out, nil
	}
	path = n.page(ctx, folder, report, "source")
	text := throw.Get(os.ReadFile(path))
	listings, err := parseCode(string(text))
	if err == nil && len(listings) != len(out) {
		err = fmt.Errorf("ncu lists the code of %d launches of %d", len(listings), len(out))
	}
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].code = listings[i]
		out[i].metrics[barriers] = samples.Metric{Value: executed(listings[i], "BAR")}
	}
	return out, nil
}

// page writes a page of a report to a file.
func (n *ncu) page(ctx context.Context, folder, report, page string) string {
	path := filepath.Join(folder, page+".csv")
	out, err := exec.CommandContext(ctx, n.path, "--import", report, "--csv", "--page", page, "--print-units", "base").Output()
	if err != nil {
		panic(throw.Errorf("reading what ncu has counted: %w: %s", err, out))
	}
	throw.If(os.WriteFile(path, out, 0o600))
	return path
}

// explain adds to an error what ncu has said, and what to do about missing rights.
func explain(err error, log string) error {
	text, _ := os.ReadFile(log)
	var said []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "==ERROR==") || strings.HasPrefix(line, "==WARNING==") {
			said = append(said, strings.TrimSpace(line))
		}
	}
	if len(said) > 0 {
		err = fmt.Errorf("%w\n    ncu: %s", err, strings.Join(said, "\n    ncu: "))
	}
	if strings.Contains(string(text), "ERR_NVGPUCTRPERM") {
		err = fmt.Errorf("%w\n    reading counters needs rights: run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0", err)
	}
	return err
}
