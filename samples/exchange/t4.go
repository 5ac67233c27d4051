package exchange

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"gpuperf/samples"
)

// The results format T4 of the FAIR auto-tuning community (results-schema.json, version 1.0.0, of Kernel Tuner). Times are in
// milliseconds, as the tuners write them.

const t4Version = "1.0.0"

type t4Result struct {
	Timestamp     string          `json:"timestamp"`
	Configuration map[string]any  `json:"configuration"`
	Objectives    []string        `json:"objectives"`
	Times         t4Times         `json:"times"`
	Invalidity    string          `json:"invalidity"`
	Correctness   float64         `json:"correctness"`
	Measurements  []t4Measurement `json:"measurements"`
}

type t4Times struct {
	Compilation float64   `json:"compilation_time"`
	Runtimes    []float64 `json:"runtimes"`
}

type t4Measurement struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
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

const milli = 1e3

// writeT4 writes a result for each sample. The configuration is what tells samples apart: kernel, arguments, sizes, caches.
func writeT4(w io.Writer, records []*samples.Record) error {
	results := []t4Result{}
	for _, r := range records {
		one := t4Result{
			Timestamp:     r.Time.Format(time.RFC3339),
			Configuration: map[string]any{"kernel": program(r), "cache": r.Mode},
			Objectives:    []string{"time"},
			Times:         t4Times{Compilation: milli * r.BuildTime, Runtimes: []float64{}},
			Invalidity:    invalidities[r.Status],
			Measurements:  []t4Measurement{},
		}
		for k, v := range r.Kernel.Args {
			one.Configuration[k] = v
		}
		for k, v := range r.Kernel.Sizes {
			one.Configuration[k] = v
		}
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
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(map[string]any{"schema_version": t4Version, "results": results})
}

// program names the kernel of a record, without arguments and sizes.
func program(r *samples.Record) string {
	if r.Kernel.Variant == "" {
		return r.Kernel.Source
	}
	return r.Kernel.Source + "#" + r.Kernel.Variant
}
