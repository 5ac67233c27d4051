package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"gpuperf/device"
	"gpuperf/internal/lists"
)

// Local says how processes are started on this host, one for each device.
type Local struct {
	Program []string // and its first arguments; --shard and --device are added
	Shards  []Shard
	Devices []int                // indices as perf devices lists them, one for each shard; nil where none is needed
	Args    func(i int) []string // more arguments of one process; nil is none
	// Streams are where a process writes to.
	Streams func(i int) (stdout, stderr io.Writer, err error)
}

// stopLimit is how long a process may take to stop after it was told to.
const stopLimit = 10 * time.Second

// Run runs all shards at the same time, and waits for them. When ctx ends they are told to stop.
func (l Local) Run(ctx context.Context) error {
	errs := make([]error, len(l.Shards))
	var all sync.WaitGroup
	for i, s := range l.Shards {
		all.Go(func() {
			runtime.LockOSThread() // the system ends the process with the thread that has started it
			defer runtime.UnlockOSThread()
			if err := l.start(ctx, i).Run(); err != nil {
				errs[i] = fmt.Errorf("the process of shard %s: %w", s, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// start makes the command of a process.
func (l Local) start(ctx context.Context, i int) *exec.Cmd {
	args := append(l.Program[1:len(l.Program):len(l.Program)], "--shard="+l.Shards[i].String())
	if l.Devices != nil {
		args = append(args, fmt.Sprintf("--device=%d", l.Devices[i]))
	}
	if l.Args != nil {
		args = append(args, l.Args(i)...)
	}
	cmd := exec.CommandContext(ctx, l.Program[0], args...)
	if cmd.Stdout, cmd.Stderr, cmd.Err = l.Streams(i); cmd.Err != nil {
		return cmd // whose Run returns the error
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	endWithParent(cmd)
	return cmd
}

// lineWriter tells whole lines that are chosen, and passes all on.
type lineWriter struct {
	to   io.Writer
	note func(line string)
	rest []byte // of a line that has not ended
}

// Log is the log file of a shard, open for appending. Lines about units, and errors, are told as well.
func (f *File) Log(s Shard, note func(line string)) (io.Writer, error) {
	if err := os.MkdirAll(f.Logs(), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(f.Logs(), fmt.Sprintf("%d-of-%d.log", s.Index, s.Count)), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	return &lineWriter{to: file, note: func(line string) {
		if strings.HasPrefix(line, tellPrefix) || strings.HasPrefix(line, "perf: ") {
			note(line)
		}
	}}, err
}

// Lines is a writer that tells each whole line.
func Lines(note func(line string)) io.Writer { return &lineWriter{to: io.Discard, note: note} }

func (w *lineWriter) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for {
		line, rest, ended := bytes.Cut(w.rest, []byte("\n"))
		if !ended {
			break
		}
		w.note(string(line))
		w.rest = rest
	}
	return w.to.Write(text)
}

// Choose returns the indices of n devices of a host, of all with 0: that which a query selects, or it and more of its type, one for each piece of hardware.
func Choose(all []device.Info, query string, n int) ([]int, error) {
	first, err := device.Select(all, query)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, same := range device.Hardware(all) {
		i := slices.IndexFunc(same, func(i int) bool { return all[i].Type == all[first].Type && all[i].Interface == all[first].Interface })
		if i >= 0 {
			list = append(list, same[i])
		}
	}
	switch {
	case n == 1:
		return []int{first}, nil
	case n > len(list):
		names := lists.Map(list, func(i int) string { return fmt.Sprintf("  %d  %s", i, all[i].Name) })
		return nil, device.SelectError(fmt.Sprintf("%d workers need as many devices of the type %s; there are:\n%s", n, all[first].Type, strings.Join(names, "\n")))
	}
	if n == 0 {
		return list, nil
	}
	return list[:n], nil
}
