package fleet

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
)

// State is that of a shard.
type State string

// The states of shards.
const (
	NotStarted State = "not started"
	Queued     State = "queued"  // by Slurm
	Running    State = "running" // it has shown that it lives within the last minute
	Stopped    State = "stopped" // its worker has ended, or was killed, with work left
	Broken     State = "failed"  // its worker has tried all of its units, and some failed
	Complete   State = "done"
)

// ShardStatus is how far a shard has come.
type ShardStatus struct {
	Shard   string    `json:"shard"`
	State   State     `json:"state"`
	Done    int       `json:"done"`
	Units   int       `json:"units"`
	Now     string    `json:"now,omitempty"`    // the unit that is under way
	Device  *Device   `json:"device,omitempty"` // of its last worker
	Job     string    `json:"job,omitempty"`    // the task of Slurm of its last worker
	Starts  int       `json:"starts"`           // of workers
	Last    time.Time `json:"last,omitzero"`    // when the worker was last alive
	Samples int64     `json:"sample_bytes"`     // size of its journals of samples
	Errors  []string  `json:"errors,omitempty"` // of units that failed and were not done since
	Reason  string    `json:"reason,omitempty"` // what Slurm says about a queued task

	number int
}

// Number is that of the shard among its siblings.
func (s ShardStatus) Number() int { return s.number }

// Status is how far the shards of a campaign have come: those that it was last given to.
type Status struct {
	Name   string        `json:"name"`
	Output string        `json:"output"`
	Shards []ShardStatus `json:"shards"`
	Done   int           `json:"done"`
	Units  int           `json:"units"`
}

// Tasks tells of the tasks that a batch system has: by the number of the task its state. Others are gone; nil where nothing is known.
type Tasks map[int]string

// Status reads the journals of the shards, which number as many as given.
func (f *File) Status(count int, tasks Tasks, now time.Time) (*Status, error) {
	all, err := readJournals(f.Output)
	if err != nil {
		return nil, err
	}
	byShard := map[Shard]history{}
	for _, h := range all {
		byShard[h.Shard] = h
	}
	done := f.finished(all)
	out := &Status{Name: f.Name, Output: f.Output, Shards: []ShardStatus{}}
	for i := range count {
		shard := Shard{i, count}
		h := byShard[shard]
		h.Shard = shard
		s := f.shardStatus(h, done, now)
		task := i / f.Devices
		switch reason, there := tasks[task]; {
		case there && s.State != Complete && (s.State != Running || strings.HasPrefix(reason, "pending")):
			s.State, s.Reason = Queued, reason
		case !there && tasks != nil && s.State == Running && s.Job != "":
			s.State = Stopped // Slurm has killed it a moment ago
		}
		out.Done, out.Units = out.Done+s.Done, out.Units+s.Units
		out.Shards = append(out.Shards, s)
	}
	return out, nil
}

func (f *File) shardStatus(h history, done []finished, now time.Time) ShardStatus {
	s := ShardStatus{Shard: h.Shard.String(), State: NotStarted, Last: h.last.Round(time.Second), number: h.Shard.Index}
	ended, tried := false, map[string]string{} // what came of units that this shard has tried: the error, or ""
	for _, e := range h.events {
		switch e.Event {
		case Started:
			s.Starts++
			s.Device, s.Job, s.Now, ended = e.Device, e.Job, "", false
		case Begun:
			s.Now = e.Unit
		case Done, Failed:
			s.Now, tried[e.Unit] = "", e.Error
		case Ended:
			s.Now, ended = "", true
		}
	}
	var on Device
	if s.Device != nil {
		on = *s.Device
	}
	left := 0 // neither done nor failed
	for _, u := range f.Units(h.Shard) {
		s.Units++
		switch why := tried[u.Name]; {
		case does(done, u, on):
			s.Done++
		case why != "":
			s.Errors = append(s.Errors, u.Name+": "+why)
		default:
			left++
		}
	}
	switch {
	case s.Starts > 0 && !ended && now.Sub(h.last) < beatGone && !(on.Host == f.Host && isFree(h.folder(f.Output))):
		s.State = Running
	case s.Done == s.Units:
		s.State = Complete
	case s.Starts == 0:
	case left == 0:
		s.State = Broken
	default:
		s.State = Stopped
	}
	files, _ := filepath.Glob(filepath.Join(h.folder(f.Output), "*", "samples", "*.jsonl"))
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			s.Samples += info.Size()
		}
	}
	return s
}

// Left are the shards with work left that nobody does: they are neither running nor queued.
func (s *Status) Left() (out []ShardStatus) {
	return lists.Where(s.Shards, func(one ShardStatus) bool {
		return one.State == NotStarted || one.State == Stopped || one.State == Broken
	})
}

// Write prints a line for each shard, and what failed.
func (s *Status) Write(w io.Writer) error {
	t := format.NewTable("shard", "state", ">units", "now", "device", "host", "task", ">starts", ">samples", "last alive")
	for _, one := range s.Shards {
		device, host, last, state := "-", "-", "-", string(one.State)
		if one.Device != nil {
			device, host = one.Device.Label(), one.Device.Host
			last = one.Last.Format("15:04:05")
		}
		if one.Reason != "" {
			state += " (" + one.Reason + ")"
		}
		dash := func(text string) string {
			if text == "" {
				return "-"
			}
			return text
		}
		t.Row(one.Shard, state, fmt.Sprintf("%d of %d", one.Done, one.Units), dash(one.Now), device, dash(host), dash(one.Job),
			fmt.Sprint(one.Starts), format.Bytes(one.Samples), last)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	states := map[State]int{}
	for _, one := range s.Shards {
		states[one.State]++
		for _, e := range one.Errors {
			fmt.Fprintf(w, "shard %s: %s\n", one.Shard, e)
		}
	}
	fmt.Fprintf(w, "%s: %d of %s done;", s.Name, s.Done, format.Count(s.Units, "unit"))
	separator := " "
	for _, state := range []State{Complete, Running, Queued, NotStarted, Stopped, Broken} {
		if n := states[state]; n > 0 {
			fmt.Fprintf(w, "%s%s %s", separator, format.Count(n, "shard"), state)
			separator = ", "
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// Submission is a line of the list of how a campaign was given to shards.
type Submission struct {
	Time   time.Time `json:"time"`
	Shards int       `json:"shards"`        // in all
	Job    string    `json:"job,omitempty"` // of Slurm; "" where perf fleet run has started processes
	Tasks  []int     `json:"tasks,omitempty"`
}

const submissionsName = "submissions.jsonl"

// Submitted adds a submission to the list.
func (f *File) Submitted(s Submission) (err error) {
	defer throw.Catch(&err)
	throw.If(os.MkdirAll(f.Output, 0o755))
	s.Time = time.Now().UTC().Round(time.Second)
	line := throw.Get(json.Marshal(s))
	file := throw.Get(os.OpenFile(filepath.Join(f.Output, submissionsName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644))
	if _, err := file.Write(append(line, '\n')); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// Submissions is the list, the oldest first.
func (f *File) Submissions() (all []Submission, err error) {
	file, err := os.Open(filepath.Join(f.Output, submissionsName))
	if os.IsNotExist(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	for d := json.NewDecoder(file); ; {
		var s Submission
		if err := d.Decode(&s); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		all = append(all, s)
	}
}
