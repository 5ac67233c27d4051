// Package emulatetest has launches that were recorded on a device, with their machine code, for tests of the emulator.
//
// A file of launches has a line for each kernel: its source, what nvdisasm printed of it, and its launches with the samples file beside it that
// holds what the device measured. The listings are of a compiler in another version than that of the recording: Code says whether what the device
// executed is known to be the same.
package emulatetest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gpuperf/device"
	"gpuperf/internal/counters"
	"gpuperf/samples"
	"gpuperf/sass"
)

// Code is how the listing of a launch compares with what the device executed.
type Code string

// The ways in which it compares.
const (
	Same     Code = "same"     // instruction by instruction
	Alike    Code = "alike"    // the same opcodes, with other registers
	Facts    Code = "facts"    // as many instructions of each kind in each loop, the same accesses and registers; the recording has no listing
	Unlisted Code = "unlisted" // the number of registers is the same; the recording has no more
	Other    Code = "other"    // other instructions
)

// Launch is a recorded launch with its machine code.
type Launch struct {
	Job      device.Job
	Function *sass.Function
	Code     Code
	Suite    string // the suite of examples/evaluation that it is from: choose, general; "" for none
	Samples  string // the file with what was measured of the launch
}

// program is a kernel in a file.
type program struct {
	Source     string           `json:"source"` // of the development set, the name of the launch file
	Function   string           `json:"function"`
	Registers  int              `json:"registers"`
	Parameters []sass.Parameter `json:"parameters"`
	Listing    string           `json:"listing"`
	// What only the cubin says beside registers and parameters.
	Constants map[int][]byte    `json:"constants,omitempty"`
	Addresses []sass.Address    `json:"addresses,omitempty"`
	Variables map[string][]byte `json:"variables,omitempty"`
	Held      []sass.Held       `json:"held,omitempty"`
	Launches  []struct {
		Samples string     `json:"samples"`
		Suite   string     `json:"suite"`
		Code    Code       `json:"code"`
		Job     device.Job `json:"job"` // without the source
	} `json:"launches"`
}

// Launches reads a file of launches, packed by gzip.
func Launches(path string) (all []Launch, err error) {
	err = programs(path, func(p *program) error {
		f, err := p.function()
		if err != nil {
			return err
		}
		for _, l := range p.Launches {
			l.Job.Source = p.Source
			all = append(all, Launch{Job: l.Job, Function: f, Code: l.Code, Suite: l.Suite, Samples: filepath.Join(filepath.Dir(path), l.Samples)})
		}
		return nil
	})
	return all, err
}

// programs calls f for the kernels of a file, packed by gzip.
func programs(path string, f func(*program) error) error {
	return lines(path, func(line []byte) error {
		var p program
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		return f(&p)
	})
}

// lines calls f for the lines of a file, packed by gzip.
func lines(path string, f func(line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for line := range bytes.Lines(text) {
		if err := f(line); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// function is that of the listing which is launched, with what only the cubin says.
func (p *program) function() (*sass.Function, error) {
	listing, err := sass.Parse(p.Listing)
	if err != nil {
		return nil, err
	}
	for _, f := range listing.Functions {
		if f.Name == p.Function {
			f.Registers, f.Parameters = p.Registers, p.Parameters
			f.Constants, f.Addresses, f.Variables, f.Held = p.Constants, p.Addresses, p.Variables, p.Held
			return f, nil
		}
	}
	return nil, fmt.Errorf("a listing has no %s", p.Function)
}

// Counted is what ncu counted of launches that name the same samples file, in their order, in a state of the caches: metrics, such as
// gpu__time_duration.sum, and how often each instruction was executed.
func Counted(launches []Launch, mode samples.Mode) ([]counters.Counted, error) {
	source, err := counters.Recorded(launches[0].Samples)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	return source.Take(context.Background(), works(launches), mode)
}

// Measured are the samples of launches, in their order, in a state of the caches. Their times are those between
// two events, on an H200 1.2 µs longer (median of the 14 launches that both recordings have, quartiles 0.9 and 1.4) than what ncu calls the
// duration.
func Measured(launches []Launch, mode samples.Mode) ([]samples.Record, error) {
	sets := map[string]*samples.Set{}
	all := make([]samples.Record, len(launches))
	for i, l := range launches {
		set := sets[l.Samples]
		if set == nil {
			var err error
			if set, err = samples.Load(l.Samples); err != nil {
				return nil, err
			}
			defer set.Close()
			sets[l.Samples] = set
		}
		want := l.Job.Record()
		want.Mode = mode
		record, found, err := set.Find(want)
		if err != nil {
			return nil, err
		}
		all[i] = record
		if found != samples.Fresh {
			return nil, fmt.Errorf("%s has no %s sample of %s", l.Samples, mode, l.Job.Identity)
		}
	}
	return all, nil
}

// works are launches as package counters has them.
func works(launches []Launch) []counters.Work {
	all := make([]counters.Work, len(launches))
	for i, l := range launches {
		all[i] = counters.Work{Kernel: l.Job.Identity.Source, Job: l.Job}
	}
	return all
}
