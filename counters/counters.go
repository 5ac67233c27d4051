// Package counters has the hardware's own counts of a kernel, taken by NVIDIA's Nsight Compute (ncu), beside those of package features.
//
// Measure runs one launch of a kernel in a worker process under ncu, through CUDA, as ncu does not see OpenCL. A Source
// takes counts in this way, or from a file where they were recorded. Rows is the
// table of what is compared: a metric of the hardware, and the feature that counts the same; Compare evaluates it.
package counters

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/features"
	"gpuperf/measure"
	"gpuperf/samples"
	"gpuperf/samples/exchange"
	"gpuperf/workload"
)

// Row is something that the hardware counts.
type Row struct {
	What    string
	Metrics []string // of ncu; their sum
	Unit    string
	Feature string  // what counts the same, "" for none
	Scale   float64 // of the feature: what the hardware counts for each
}

// Features count arithmetic once per sub-group, the hardware once per work-item.
const lanes = 32

// Rows are compared in this order.
var Rows = []Row{
	{"time", []string{"gpu__time_duration.sum"}, "s", "", 0},
	{"float32 multiply-adds", []string{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}, "", "f_op_float32_madd", lanes},
	{"float32 additions", []string{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"}, "", "f_op_float32_add", lanes},
	{"float32 multiplications", []string{"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"}, "", "f_op_float32_mul", lanes},
	{"float64 multiply-adds", []string{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"}, "", "f_op_float64_madd", lanes},
	{"float64 additions", []string{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"}, "", "f_op_float64_add", lanes},
	{"float64 multiplications", []string{"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"}, "", "f_op_float64_mul", lanes},
	{"sectors loaded", []string{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}, "sector", "f_mem_sectors_global_load", 1},
	{"sectors stored", []string{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}, "sector", "f_mem_sectors_global_store", 1},
	{"wavefronts of local loads", []string{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}, "", "f_mem_access_local_load", 1},
	{"wavefronts of local stores", []string{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}, "", "f_mem_access_local_store", 1},
	{"bank conflicts", []string{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}, "", "", 0},
	{"L2 sectors", []string{"lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"}, "sector", "", 0},
	{"DRAM bytes", []string{"dram__bytes_read.sum", "dram__bytes_write.sum"}, "B", "", 0},
	{"L1 hit rate", []string{"l1tex__t_sector_hit_rate.pct"}, "%", "", 0},
	{"L2 hit rate", []string{"lts__t_sector_hit_rate.pct"}, "%", "", 0},
	{"instructions of sub-groups", []string{"smsp__inst_executed.sum"}, "", "", 0},
	{"occupancy", []string{"sm__warps_active.avg.pct_of_peak_sustained_active"}, "%", "", 0},
	{"registers of a work-item", []string{"launch__registers_per_thread"}, "", "", 0},
}

// metrics are all that ncu is asked for.
func metrics() (names []string) {
	for _, r := range Rows {
		names = append(names, r.Metrics...)
	}
	return names
}

// ErrNoNCU says that Nsight Compute is not there.
var ErrNoNCU = errors.New("ncu was not found")

// installed are the places where CUDA's installers put ncu.
var installed = []string{"/usr/local/cuda*/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu"}

// Find looks for ncu on the PATH and where it is installed.
func Find() (string, error) {
	if path, err := exec.LookPath("ncu"); err == nil {
		return path, nil
	}
	for _, pattern := range installed {
		if all, _ := filepath.Glob(pattern); len(all) > 0 {
			return all[len(all)-1], nil
		}
	}
	return "", fmt.Errorf("%w\n    install Nsight Compute (package nsight-compute, or the CUDA toolkit) and put ncu on the PATH", ErrNoNCU)
}

// Options say how to run ncu.
type Options struct {
	NCU    string   // its path
	Device string   // the query for the device, of those of CUDA
	Worker []string // the command line of the worker
}

// Measure returns the record of one launch of the case with its metrics, caches flushed before it or as the launch before left them.
func Measure(ctx context.Context, o Options, c *workload.Case, mode samples.Mode) (samples.Record, error) {
	job, err := c.On(samples.CUDA).Job(device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1})
	if err != nil {
		return samples.Record{}, err
	}
	folder, err := os.MkdirTemp("", "perf-ncu-*")
	if err != nil {
		return samples.Record{}, err
	}
	defer os.RemoveAll(folder)
	log := filepath.Join(folder, "ncu.csv")
	dev, err := measure.Open(ctx, samples.CUDA.String()+":"+o.Device, measure.Options{
		Command: command(o, log, job.Entry, mode), StartLimit: 2 * time.Minute, Deadline: 5 * time.Minute, Grace: time.Minute,
	})
	if err != nil {
		return samples.Record{}, explain(err, log)
	}
	record := job.Record()
	record.Device, record.Mode = dev.Info().Fingerprint, mode
	_, err = dev.Run(ctx, job)
	dev.Close() // and ncu writes what it has counted
	if err != nil {
		return samples.Record{}, explain(err, log)
	}
	_, rows, err := exchange.Import(log, "ncu")
	if err != nil {
		return samples.Record{}, explain(err, log)
	}
	record.Status, record.Origin, record.Time = samples.OK, "ncu", time.Now()
	record.Metrics = rows[0].Metrics
	return record, nil
}

// command runs the worker under ncu, which counts the second launch of the kernel: the first is of cold code.
func command(o Options, log, entry string, mode samples.Mode) []string {
	cache := map[samples.Mode]string{samples.Warm: "none", samples.Cold: "all"}[mode]
	return append([]string{
		o.NCU, "--csv", "--page", "raw", "--log-file", log, "--clock-control", "none", "--cache-control", cache,
		"--kernel-name-base", "function", "-k", "regex:^" + regexp.QuoteMeta(entry) + "$", "--launch-skip", "1", "--launch-count", "1",
		"--metrics", strings.Join(metrics(), ","),
	}, o.Worker...)
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

// Compared is a row for a kernel at given sizes.
type Compared struct {
	What     string   `json:"what"`
	Unit     string   `json:"unit,omitempty"`
	Metrics  []string `json:"metrics"`
	Feature  string   `json:"feature,omitempty"`
	Hardware float64  `json:"hardware"`
	Counted  *float64 `json:"counted,omitempty"` // nil where nothing counts it
	Why      string   `json:"why,omitempty"`     // it cannot be counted, though there is a feature
}

// Ratio is counted over the hardware's number; ok is false where one of them is missing or both are 0.
func (c Compared) Ratio() (ratio float64, ok bool) {
	if c.Counted == nil || c.Hardware == 0 {
		return 0, false
	}
	return *c.Counted / c.Hardware, true
}

// Compare evaluates the rows whose metrics a record has. Rows of which there is nothing on either side are left out.
func Compare(c *workload.Case, o features.Options, r samples.Record) ([]Compared, error) {
	statistics, err := c.Statistics(o)
	if err != nil {
		return nil, err
	}
	var out []Compared
	for _, row := range Rows {
		one := Compared{What: row.What, Unit: row.Unit, Metrics: row.Metrics, Feature: row.Feature}
		known := false
		for _, name := range row.Metrics {
			m, ok := r.Metrics[name]
			one.Hardware += m.Value * scales[m.Unit]
			known = known || ok
		}
		if row.Feature != "" {
			one.count(statistics, c, row)
		}
		if known && (one.Hardware != 0 || one.Counted != nil && *one.Counted != 0) {
			out = append(out, one)
		}
	}
	return out, nil
}

// count evaluates the feature of a row.
func (c *Compared) count(statistics *features.Statistics, of *workload.Case, row Row) {
	id, err := features.ParseID(row.Feature)
	var v float64
	if err == nil {
		v, err = statistics.Value(id, of.Sizes)
	}
	if err != nil {
		c.Why = err.Error()
		return
	}
	v *= row.Scale
	c.Counted = &v
}

// scales of the units that ncu writes; without one, and for percents, numbers are as they stand.
var scales = map[string]float64{
	"": 1, "%": 1, "inst": 1, "sector": 1, "register/thread": 1,
	"ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3, "s": 1, "second": 1,
	"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9,
}
