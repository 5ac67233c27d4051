// Package emulatetest has launches that were recorded on a device, with their machine code, for tests of the emulator.
//
// A file of launches has a line for each: the job, what nvdisasm printed of its kernel, and the samples file beside it that holds what the
// device measured. The listings are of a compiler in another version than that of the recording: Code says whether what the device executed is
// known to be the same.
package emulatetest

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gpuperf/counters"
	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/sass"
)

// Code is how the listing of a launch compares with what the device executed.
type Code string

// The ways in which it compares.
const (
	Same     Code = "same"     // instruction by instruction
	Alike    Code = "alike"    // the same opcodes, with other registers
	Unlisted Code = "unlisted" // the recording has no listing; the number of registers is the same
	Other    Code = "other"    // other instructions
)

// Launch is a recorded launch with its machine code.
type Launch struct {
	Job      device.Job
	Function *sass.Function
	Code     Code
	Samples  string // the file with what was measured of the launch
}

// line is a launch in a file.
type line struct {
	Samples    string           `json:"samples"`
	Code       Code             `json:"code"`
	Function   string           `json:"function"`
	Registers  int              `json:"registers"`
	Parameters []sass.Parameter `json:"parameters"`
	Job        device.Job       `json:"job"`
	Listing    string           `json:"listing"`
}

// Launches reads a file of launches, packed by gzip.
func Launches(path string) (all []Launch, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for lines := json.NewDecoder(unpacked); ; {
		var l line
		if err := lines.Decode(&l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		f, err := l.function()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, l.Job.Identity, err)
		}
		all = append(all, Launch{Job: l.Job, Function: f, Code: l.Code, Samples: filepath.Join(filepath.Dir(path), l.Samples)})
	}
}

// function is that of the listing which is launched, with what only the cubin says.
func (l *line) function() (*sass.Function, error) {
	listing, err := sass.Parse(l.Listing)
	if err != nil {
		return nil, err
	}
	for _, f := range listing.Functions {
		if f.Name == l.Function {
			f.Registers, f.Parameters = l.Registers, l.Parameters
			return f, nil
		}
	}
	return nil, fmt.Errorf("its listing has no %s", l.Function)
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

// works are launches as package counters has them.
func works(launches []Launch) []counters.Work {
	all := make([]counters.Work, len(launches))
	for i, l := range launches {
		all[i] = counters.Work{Kernel: l.Job.Identity.Source, Job: l.Job}
	}
	return all
}
