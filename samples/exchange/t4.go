package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuperf/internal/jsonvalue"
	"gpuperf/samples"
)

// The format T4 of the FAIR auto-tuning community (results-schema.json and metadata-schema.json, version 1.0.0, of Kernel Tuner). Times are in
// milliseconds, as the tuners write them. The schema allows what it does not name: of a search by this program, "problem" says what the configurations are of.

const t4Version = "1.0.0"

type t4Result struct {
	Timestamp     string          `json:"timestamp"`
	Configuration t4Choices       `json:"configuration"`
	Objectives    []string        `json:"objectives"`
	Times         t4Times         `json:"times"`
	Invalidity    string          `json:"invalidity"`
	Correctness   float64         `json:"correctness"`
	Measurements  []t4Measurement `json:"measurements"`
	Problem       *t4Problem      `json:"problem,omitempty"`
}

// t4Choices are in the order of a search: which choices there are may depend on those before.
type t4Choices = jsonvalue.Object[any]

type t4Problem struct {
	Kernel string           `json:"kernel"`
	Sizes  map[string]int64 `json:"sizes,omitempty"`
	Cache  samples.Mode     `json:"cache"`
	Device string           `json:"device"`
}

type t4Times struct {
	Compilation float64   `json:"compilation_time"`
	Compiling   float64   `json:"compilation,omitempty"` // as Kernel Tuner calls it; only read
	Runtimes    []float64 `json:"runtimes"`
}

type t4Measurement struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Unit  string `json:"unit"`
}

// invalidities says what the format calls a status.
var invalidities = map[samples.Status]string{
	samples.OK:          "correct",
	samples.Timeout:     "timeout",
	samples.BuildFailed: "compile",
	samples.Refused:     "constraints",
	samples.Faulty:      "correctness",
	samples.WrongResult: "correctness",
	samples.Crash:       "runtime",
	samples.OutOfMemory: "runtime",
	samples.Interrupted: "runtime",
}

// validities are the statuses that the format's words stand for.
var validities = map[string]samples.Status{
	"correct":     samples.OK,
	"timeout":     samples.Timeout,
	"compile":     samples.BuildFailed,
	"constraints": samples.Refused,
	"correctness": samples.WrongResult,
	"runtime":     samples.Crash,
}

const milli = 1e3 // times are in milliseconds there

// writeT4 writes a result for each sample. The configuration is what tells samples apart: the choices of a search, or kernel, arguments, sizes, caches.
func writeT4(w io.Writer, records []*samples.Record) error {
	results := []t4Result{}
	for _, r := range records {
		one := t4Result{
			Timestamp:    r.Time.Format(time.RFC3339),
			Objectives:   []string{"time"},
			Times:        t4Times{Compilation: milli * r.BuildTime, Runtimes: []float64{}},
			Invalidity:   invalidities[r.Status],
			Measurements: []t4Measurement{},
		}
		one.Configuration, one.Problem = t4Configuration(r)
		for _, t := range r.Trials {
			one.Times.Runtimes = append(one.Times.Runtimes, milli*t)
		}
		if r.Status == samples.OK {
			one.Correctness = 1
		}
		if r.Summary != nil {
			one.Measurements = append(one.Measurements, t4Measurement{"time", milli * r.Summary.Median, "ms"})
		}
		for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
			one.Measurements = append(one.Measurements, t4Measurement{name, r.Metrics[name].Value, r.Metrics[name].Unit})
		}
		results = append(results, one)
	}
	return writeJSON(w, map[string]any{"schema_version": t4Version, "results": results})
}

// t4Configuration is what tells a sample from others, and of a search what it is of.
func t4Configuration(r *samples.Record) (out t4Choices, of *t4Problem) {
	if text, ok := r.Tuned(); ok {
		for pick := range strings.SplitSeq(text, ",") {
			name, option, _ := strings.Cut(pick, "=")
			out = append(out, jsonvalue.Member[any]{Name: name, Value: plain(option)})
		}
		return out, &t4Problem{program(r), r.Kernel.Sizes, r.Mode, r.Device.Name}
	}
	out = t4Choices{{Name: "kernel", Value: program(r)}, {Name: "cache", Value: r.Mode}}
	for _, k := range slices.Sorted(maps.Keys(r.Kernel.Args)) {
		out = append(out, jsonvalue.Member[any]{Name: k, Value: plain(r.Kernel.Args[k])})
	}
	for _, k := range slices.Sorted(maps.Keys(r.Kernel.Sizes)) {
		out = append(out, jsonvalue.Member[any]{Name: k, Value: r.Kernel.Sizes[k]})
	}
	return out, nil
}

// plain is a number or truth as such, as tuners write values.
func plain(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
		return n
	}
	if b, err := strconv.ParseBool(strings.ToLower(text)); err == nil && len(text) > 1 {
		return b
	}
	return text
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(v)
}

// writeT4Metadata writes the device and the program that measured the samples, which are of one device.
func writeT4Metadata(w io.Writer, records []*samples.Record) error {
	var versions []string
	for _, r := range records {
		if v := "perf " + r.Perf; r.Perf != "" && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	return writeJSON(w, map[string]any{"schema_version": t4Version, "metadata": map[string]any{
		"hardware":    map[string]any{"hardware_description": []samples.Fingerprint{records[0].Device}},
		"environment": map[string]any{"device_query": records[0].Device, "requirements": append([]string{}, versions...)},
	}})
}

func isT4(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && strings.Contains(text, `"schema_version"`) && strings.Contains(text, `"invalidity"`)
}

// readT4 reads results of any tuner that writes the format.
func readT4(f file) (records []samples.Record, err error) {
	f.text = plainJSON(f.text)
	var all struct {
		Results []json.RawMessage `json:"results"`
	}
	if err := json.Unmarshal([]byte(f.text), &all); err != nil {
		return nil, f.wrong("not a file of results in the format T4: %v", err)
	}
	offset := 0
	name := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	for i, text := range all.Results {
		offset += strings.Index(f.text[offset:], string(text))
		var one t4Result
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		err := d.Decode(&one)
		var r samples.Record
		if err == nil {
			r, err = one.record(name, f.modified)
		}
		if err != nil {
			f.drop(f.at(f.lineOf(offset), "result %d: %v", i+1, err))
		} else {
			records = append(records, r)
		}
		offset += len(text)
	}
	return records, nil
}

// record is a result as a sample; name is that of the kernel where the result does not say it.
func (one *t4Result) record(name string, modified time.Time) (samples.Record, error) {
	p := one.Problem
	if p == nil {
		p = &t4Problem{Kernel: name, Device: "not told by the file"}
	}
	r := samples.Record{
		Version: samples.Version, Origin: "t4", Mode: samples.Warm, Time: stamped(one.Timestamp, modified), Entry: p.Kernel,
		Kernel: samples.Identity{Source: p.Kernel, Args: map[string]string{}, Sizes: p.Sizes},
		Device: samples.Fingerprint{Name: p.Device, Platform: "T4", Type: "gpu"},
	}
	if p.Cache != "" {
		r.Mode = p.Cache
	}
	var names []string
	for _, c := range one.Configuration {
		if names, r.Kernel.Args[c.Name] = append(names, c.Name), fmt.Sprint(c.Value); c.Value == nil {
			return r, fmt.Errorf("%s has no value", c.Name)
		}
	}
	r.Tags = configured(names, r.Kernel.Args)
	if t := max(one.Times.Compilation, one.Times.Compiling); t > 0 {
		r.BuildTime = t / milli
	}
	status, known := validities[one.Invalidity]
	if !known {
		return r, fmt.Errorf("invalidity is %q, none of the format's", one.Invalidity)
	}
	if r.Status = status; status != samples.OK {
		r.Error = one.Invalidity
		return r, nil
	}
	times := one.Times.Runtimes
	for _, m := range one.Measurements {
		text, number := m.Value.(json.Number)
		v, err := text.Float64()
		switch {
		case !number || err != nil:
		case m.Name == "time" && len(times) == 0:
			times = []float64{v}
		case m.Name != "time" && m.Name != "" && m.Name != "times":
			if r.Metrics == nil {
				r.Metrics = map[string]samples.Metric{}
			}
			r.Metrics[m.Name] = samples.Metric{Value: v, Unit: m.Unit}
		}
	}
	for _, t := range times {
		if !isTime(t / milli) {
			return r, fmt.Errorf("%g ms is no time", t)
		}
		r.Trials = append(r.Trials, t/milli)
	}
	return summarized(r), nil
}

// program names the kernel of a record, without arguments and sizes.
func program(r *samples.Record) string {
	if r.Kernel.Variant == "" {
		return r.Kernel.Source
	}
	return r.Kernel.Source + "#" + r.Kernel.Variant
}
