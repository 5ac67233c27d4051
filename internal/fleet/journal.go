package fleet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// Event is a line of the journal of a shard, which only its worker appends to.
type Event struct {
	Time    time.Time `json:"time"`
	Event   EventKind `json:"event"`
	Device  *Device   `json:"device,omitempty"`  // of Started
	Job     string    `json:"job,omitempty"`     // of Started: the task of Slurm, "" without
	Unit    string    `json:"unit,omitempty"`    // of Begun, Done and Failed
	Args    []string  `json:"args,omitempty"`    // of Done: of the command
	Seconds float64   `json:"seconds,omitempty"` // of Done and Failed
	Error   string    `json:"error,omitempty"`   // of Failed
}

// EventKind is what happened.
type EventKind string

// The events.
const (
	Started EventKind = "started" // the worker
	Begun   EventKind = "begun"   // a unit
	Done    EventKind = "done"    // a unit
	Failed  EventKind = "failed"  // a unit
	Ended   EventKind = "ended"   // the worker, by itself: it has tried all, or was told to stop
)

// patience is how long a worker waits for one before it that is about to end.
const patience = 200 * time.Millisecond

const journalName, lockName = "journal.jsonl", ".lock"

// isFree reports whether no worker of this host has the shard: the system takes the lock from one that is killed.
func isFree(folder string) bool {
	unlock, err := samples.LockWithin(filepath.Join(folder, lockName), 0)
	if err == nil {
		unlock()
	}
	return err == nil
}

// journal is that of a shard, open for appending.
type journal struct {
	path   string
	file   *os.File
	unlock func()
}

// openJournal opens the journal of a shard for its worker. There is one at a time.
func openJournal(folder string) (_ *journal, err error) {
	defer throw.Catch(&err)
	throw.If(os.MkdirAll(folder, 0o755))
	path := filepath.Join(folder, journalName)
	f := throw.Get(os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644))
	unlock, err := samples.LockWithin(filepath.Join(folder, lockName), patience)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("the shard is being worked on by another process: %w", err)
	}
	j := &journal{path, f, unlock}
	// A worker that was killed while writing leaves a part of a line: it is ended, and not read.
	if text, err := os.ReadFile(path); err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
		f.Write([]byte("\n"))
	}
	return j, nil
}

func (j *journal) append(e Event) error {
	e.Time = time.Now().UTC()
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	return err
}

// beat shows that the worker lives.
func (j *journal) beat() {
	now := time.Now()
	os.Chtimes(j.path, now, now)
}

func (j *journal) close() error {
	j.unlock()
	return j.file.Close()
}

// beats are how often a worker shows that it lives, and after what time without it counts as gone. Clocks of hosts may differ by some seconds.
const (
	beatEvery = 10 * time.Second
	beatGone  = 60 * time.Second
)

// history is what the journal of a shard tells.
type history struct {
	Shard
	events []Event
	last   time.Time // when the worker was last alive
}

// readJournal reads the journal of a shard; a shard that was never started has no events.
func readJournal(output string, s Shard) (h history, err error) {
	h.Shard = s
	path := filepath.Join(s.folder(output), journalName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	} else if err != nil {
		return h, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return h, err
	}
	h.last = info.ModTime()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) == 0 && err != nil {
			return h, nil
		}
		var e Event
		if json.Unmarshal(line, &e) == nil { // a part of a line is of a worker that was killed
			h.events = append(h.events, e)
		}
	}
}

// readJournals reads the journals of all shards that were ever started.
func readJournals(output string) (all []history, err error) {
	folders, err := filepath.Glob(filepath.Join(output, "shards", "*-of-*"))
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		var s Shard
		if n, err := fmt.Sscanf(filepath.Base(folder), "%d-of-%d", &s.Index, &s.Count); n < 2 || err != nil {
			continue
		}
		h, err := readJournal(output, s)
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b history) int { return compareShards(a.Shard, b.Shard) })
	return all, nil
}

func compareShards(a, b Shard) int {
	if a.Count != b.Count {
		return a.Count - b.Count
	}
	return a.Index - b.Index
}

// finished is a unit that was done, on a device, with the file of its result.
type finished struct {
	Shard  Shard
	Device Device
	Event
	Result string
}

// finished are the units that are done with the arguments that they have now.
func (f *File) finished(all []history) (out []finished) {
	want := map[string][]string{}
	for _, u := range f.Units(Shard{0, 1}) {
		want[u.Name] = u.args("")
	}
	for _, h := range all {
		var on Device
		for _, e := range h.events {
			if e.Event == Started {
				on = Device{}
				if e.Device != nil {
					on = *e.Device
				}
			}
			if e.Event == Done && slices.Equal(e.Args, want[e.Unit]) {
				out = append(out, finished{h.Shard, on, e, filepath.Join(h.folder(f.Output), on.Key(), resultFile(e.Unit))})
			}
		}
	}
	return out
}

// resultFile is the file of a unit's result, below the folder of the device.
func resultFile(unit string) string { return filepath.Join("results", unit+".json") }

// does reports whether a unit is done as far as the shard on a device is concerned: by any shard on this device, or, where parts are dealt out,
// by any shard.
func does(done []finished, u Unit, on Device) bool {
	return slices.ContainsFunc(done, func(d finished) bool {
		return d.Unit == u.Name && (!u.Work.Kind.EachDevice || d.Device.Key() == on.Key())
	})
}
