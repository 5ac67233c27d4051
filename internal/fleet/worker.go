package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuperf/internal/format"
	"gpuperf/internal/replace"
)

// Worker does the work of a shard on a device.
type Worker struct {
	File   *File
	Shard  Shard
	Device Device // the zero value where no unit needs one
	Job    string // the task of Slurm that this is; "" without
	// Run runs perf with arguments, in the folder of the campaign file, with data as its data directory, and returns what it prints.
	Run  func(ctx context.Context, data string, args []string) ([]byte, error)
	Note func(format string, args ...any)
}

// Outcome is what came of a worker's shard.
type Outcome struct {
	Shard   string   `json:"shard"`
	Device  string   `json:"device"`
	Done    int      `json:"done"`    // now
	Before  int      `json:"before"`  // that were done before, by this shard or another on the same device
	Failed  []string `json:"failed"`  // units that failed now
	Waiting int      `json:"waiting"` // units that were not begun, as the worker was told to stop
}

// NeedsDevice reports whether a unit of the shard needs a device.
func (f *File) NeedsDevice(s Shard) bool {
	return slices.ContainsFunc(f.Units(s), func(u Unit) bool { return !u.Work.Kind.Offline })
}

// Work does the units of the shard that are not done yet, one after the other. Each that fails is told and left; the next worker tries it again.
// A worker may be killed at any time: what was measured is in the journals of samples, and the next one goes on there.
func (w *Worker) Work(ctx context.Context) (out Outcome, err error) {
	out = Outcome{Shard: w.Shard.String(), Device: w.Device.Label(), Failed: []string{}}
	folder := w.Shard.folder(w.File.Output)
	j, err := openJournal(folder)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	if err := j.append(Event{Event: Started, Device: &w.Device, Job: w.Job}); err != nil {
		return out, err
	}
	stop := keepBeating(j)
	defer stop()
	data := filepath.Join(folder, w.Device.Key())
	if err := os.MkdirAll(filepath.Join(data, "results"), 0o755); err != nil {
		return out, err
	}
	for _, u := range w.File.Units(w.Shard) {
		if ctx.Err() != nil {
			out.Waiting++
			continue
		}
		all, err := readJournals(w.File.Output) // anew each time: other shards work at the same time
		if err != nil {
			return out, err
		}
		if does(w.File.finished(all), u, w.Device) {
			out.Before++
			continue
		}
		switch err := w.unit(ctx, j, data, u); {
		case err == nil:
			out.Done++
		case ctx.Err() != nil:
			out.Waiting++
		default:
			out.Failed = append(out.Failed, fmt.Sprintf("%s: %v", u.Name, err))
		}
	}
	return out, j.append(Event{Event: Ended})
}

// tellPrefix begins the lines about units.
const tellPrefix = "shard "

// unit does one, and keeps its result.
func (w *Worker) unit(ctx context.Context, j *journal, data string, u Unit) error {
	if err := j.append(Event{Event: Begun, Unit: u.Name}); err != nil {
		return err
	}
	result := filepath.Join(data, resultFile(u.Name))
	args := append(u.args(tableFile(result)), "--json")
	if !u.Work.Kind.Offline {
		args = append(args, fmt.Sprintf("--device=%d", w.Device.Index))
	}
	w.Note(tellPrefix+"%s: %s", w.Shard, u.Name)
	start := time.Now()
	text, err := w.Run(ctx, data, args)
	took := time.Since(start)
	if err == nil {
		err = replace.Bytes(result, text)
	}
	if ctx.Err() != nil && err != nil {
		return err // neither done nor failed
	}
	if err != nil {
		w.Note(tellPrefix+"%s: %s failed after %v: %v", w.Shard, u.Name, took.Round(time.Millisecond), err)
		return errors.Join(err, j.append(Event{Event: Failed, Unit: u.Name, Error: err.Error(), Seconds: took.Seconds()}))
	}
	w.Note(tellPrefix+"%s: %s done in %v", w.Shard, u.Name, took.Round(time.Millisecond))
	return j.append(Event{Event: Done, Unit: u.Name, Args: u.args(""), Seconds: took.Seconds()})
}

// keepBeating shows now and then that the worker lives, until stop is called.
func keepBeating(j *journal) (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				j.beat()
			case <-ctx.Done():
				return
			}
		}
	}()
	return stop
}

// Err is the error of an outcome: nil where all is done.
func (o Outcome) Err() error {
	switch {
	case len(o.Failed) > 0:
		return fmt.Errorf("shard %s: %s failed:\n    %s", o.Shard, format.Count(len(o.Failed), "unit"), strings.Join(o.Failed, "\n    "))
	case o.Waiting > 0:
		return fmt.Errorf("shard %s: stopped with %s left; the same command resumes", o.Shard, format.Count(o.Waiting, "unit"))
	}
	return nil
}
