package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gpuperf/samples"
)

// A cache file of Kernel Tuner (its schema, version 1.1.0): what was tuned, and for each configuration its values, the times of its
// runs in milliseconds, what observers saw, or in place of the time the name of an error.
type kernelTuner struct {
	Device      string                     `json:"device_name"`
	Kernel      string                     `json:"kernel_name"`
	ProblemSize any                        `json:"problem_size"`
	Keys        []string                   `json:"tune_params_keys"`
	Cache       map[string]json.RawMessage `json:"cache"` // of objects
}

func isKernelTuner(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && strings.Contains(text, `"tune_params_keys"`)
}

// tunerErrors say what the names of errors mean.
var tunerErrors = map[string]samples.Status{
	"InvalidConfig":           samples.Refused,
	"CompilationFailedConfig": samples.BuildFailed,
	"RuntimeFailedConfig":     samples.Refused,
}

// tunerFailed is the time of a configuration that failed, in files from before errors had names.
const tunerFailed = 1e20

// tunerTimes are what else took time, in the order of the tuner: of its own work, and so no metrics of the kernel.
var tunerTimes = []string{"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"}

func readKernelTuner(f file) ([]samples.Record, error) {
	f.text = plainJSON(f.text)
	var all kernelTuner
	if err := json.Unmarshal([]byte(f.text), &all); err != nil {
		all = kernelTuner{}
		// A tuner that was stopped leaves the object open, behind the comma of its last entry.
		open := strings.TrimSuffix(strings.TrimSpace(f.text), ",") + "}}"
		if json.Unmarshal([]byte(open), &all) != nil {
			return nil, f.wrong("not a cache file of Kernel Tuner: %v", err)
		}
	}
	if all.Device == "" || all.Kernel == "" {
		return nil, f.wrong("a cache file of Kernel Tuner has a device_name and a kernel_name")
	}
	var records []samples.Record
	for _, key := range slices.Sorted(maps.Keys(all.Cache)) {
		name, _ := json.Marshal(key)
		line := f.lineOf(strings.LastIndex(f.text, string(name)+":"))
		var entry map[string]json.RawMessage
		if json.Unmarshal(all.Cache[key], &entry) != nil {
			f.drop(f.at(line, "configuration %q: it is no object", key))
			continue
		}
		r, left, err := all.record(entry, f.modified)
		if err != nil {
			f.drop(f.at(line, "configuration %q: %v", key, err))
			continue
		}
		if len(left) > 0 {
			f.drop(f.at(line, "configuration %q: not a number, left out of its metrics: %s", key, strings.Join(left, ", ")))
		}
		records = append(records, r)
	}
	slices.SortStableFunc(records, func(a, b samples.Record) int { return a.Time.Compare(b.Time) })
	return records, nil
}

// record is a configuration with its times, and the names of its metrics that are not numbers.
func (k *kernelTuner) record(entry map[string]json.RawMessage, modified time.Time) (r samples.Record, left []string, err error) {
	r = samples.Record{
		Version: samples.Version, Origin: "kernel-tuner", Mode: samples.Warm, Status: samples.OK, Time: modified, Entry: k.Kernel,
		Kernel: samples.Identity{Source: k.Kernel, Args: map[string]string{}, Sizes: map[string]int64{}},
		Device: samples.Fingerprint{Name: k.Device, Platform: "Kernel Tuner", Type: "gpu"},
	}
	for _, name := range k.Keys {
		if entry[name] == nil {
			return r, nil, fmt.Errorf("%s, one of the tune_params_keys, has no value", name)
		}
		text := string(entry[name])
		json.Unmarshal(entry[name], &text) // a text without its quotes
		r.Kernel.Args[name] = text
	}
	r.Tags = configured(k.Keys, r.Kernel.Args)
	if err := k.problem(&r.Kernel); err != nil {
		return r, nil, err
	}
	var stamp string
	if json.Unmarshal(entry["timestamp"], &stamp) == nil {
		r.Time = stamped(stamp, modified)
	}
	var compile float64
	if json.Unmarshal(entry["compile_time"], &compile) == nil && compile > 0 {
		r.BuildTime = compile / milli
	}
	if err := tunerResult(entry, &r); err != nil {
		return r, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(entry)) {
		var v *float64
		var text string
		switch {
		case name == "time" || slices.Contains(k.Keys, name) || slices.Contains(tunerTimes, name):
		case json.Unmarshal(entry[name], &v) == nil && v != nil:
			if r.Metrics == nil {
				r.Metrics = map[string]samples.Metric{}
			}
			r.Metrics[name] = samples.Metric{Value: *v}
		case json.Unmarshal(entry[name], &text) == nil && noNumber.MatchString(text):
			left = append(left, name)
		}
	}
	return summarized(r), left, nil
}

// stamped is the time that tuners write; otherwise that of the file.
func stamped(text string, modified time.Time) time.Time {
	for _, form := range []string{"2006-01-02 15:04:05.999999Z07:00", "2006-01-02T15:04:05.999999Z07:00"} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC().Truncate(time.Millisecond)
		}
	}
	return modified
}

// problem adds the sizes of the problem, which are numbers or texts, to an identity.
func (k *kernelTuner) problem(id *samples.Identity) error {
	const most = 1 << 53 // up to which numbers of JSON are exact
	list, ok := k.ProblemSize.([]any)
	if !ok && k.ProblemSize != nil {
		list = []any{k.ProblemSize}
	}
	for i, v := range list {
		name := fmt.Sprintf("problem_size_%c", 'x'+i)
		n, number := v.(float64)
		text, ok := v.(string)
		switch {
		case i > 2:
			return errors.New("problem_size has more than three numbers")
		case number && n == math.Trunc(n) && 1 <= n && n <= most:
			id.Sizes[name] = int64(n)
		case ok:
			id.Args[name] = text
		default:
			return fmt.Errorf("problem_size has %v, which is no size", v)
		}
	}
	return nil
}

// tunerResult reads the times of a configuration, or why it has none.
func tunerResult(entry map[string]json.RawMessage, r *samples.Record) error {
	var name string
	if json.Unmarshal(entry["time"], &name) == nil {
		status, known := tunerErrors[name]
		if !known {
			return fmt.Errorf("time is %q, neither a number nor an error that is known", name)
		}
		r.Status, r.Error = status, name
		return nil
	}
	var one float64
	if err := json.Unmarshal(entry["time"], &one); err != nil || entry["time"] == nil {
		return errors.New("it has no time")
	}
	if one == tunerFailed {
		r.Status, r.Error = samples.Refused, "failed, nothing says how"
		return nil
	}
	var times []float64
	if text := entry["times"]; text != nil {
		if err := json.Unmarshal(text, &times); err != nil {
			return errors.New("times is no list of numbers")
		}
	}
	if len(times) == 0 {
		times = []float64{one}
	}
	for _, t := range times {
		if !isTime(t / milli) {
			return fmt.Errorf("%g ms is no time", t)
		}
		r.Trials = append(r.Trials, t/milli)
	}
	return nil
}

// configured are the tags by which samples of other tuners can be searched again; none where a value is no option.
func configured(names []string, values map[string]string) []string {
	var picks []string
	for _, name := range names {
		if name == "" || values[name] == "" || strings.ContainsAny(name+values[name], ",=") || strings.TrimSpace(name) != name {
			return nil
		}
		picks = append(picks, name+"="+values[name])
	}
	if picks == nil {
		return nil
	}
	return samples.TunedTags(strings.Join(picks, ","))
}
