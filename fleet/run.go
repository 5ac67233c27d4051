package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"gpuperf/device"
)

// Local says how processes are started on this host, one for each device.
type Local struct {
	Program []string // and its first arguments; --shard and --device are added
	Shards  []Shard
	Logs    string // folder
	Note    func(line string)
	Devices []int // indices as perf devices lists them, one for each shard; nil where none is needed
}

// stopLimit is how long a process may take to stop after it was told to.
const stopLimit = 10 * time.Second

// Run runs all shards at the same time, and waits for them. What they write to standard error goes to the log of each; the lines about units
// are told as well. When ctx ends they are told to stop.
func (l Local) Run(ctx context.Context) error {
	errs := make([]error, len(l.Shards))
	var all sync.WaitGroup
	for i, s := range l.Shards {
		all.Go(func() {
			runtime.LockOSThread() // the system ends the process with the thread that has started it
			defer runtime.UnlockOSThread()
			args := append(l.Program[1:len(l.Program):len(l.Program)], "--shard="+s.String())
			if l.Devices != nil {
				args = append(args, fmt.Sprintf("--device=%d", l.Devices[i]))
			}
			cmd := exec.CommandContext(ctx, l.Program[0], args...)
			log, err := l.log(s)
			if err != nil {
				errs[i] = err
				return
			}
			defer log.close()
			cmd.Stderr = log
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
			cmd.WaitDelay = stopLimit
			endWithParent(cmd)
			if err := cmd.Run(); err != nil {
				errs[i] = fmt.Errorf("the worker of shard %s: %w; see %s", s, err, log.file.Name())
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// workerLog is a log file of which some lines are told.
type workerLog struct {
	file *os.File
	note func(line string)
	rest []byte // of a line that has not ended
}

func (l Local) log(s Shard) (*workerLog, error) {
	if err := os.MkdirAll(l.Logs, 0o755); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%d-of-%d.log", s.Index, s.Count)
	f, err := os.OpenFile(filepath.Join(l.Logs, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	return &workerLog{file: f, note: l.Note}, err
}

func (w *workerLog) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for {
		line, rest, ended := bytes.Cut(w.rest, []byte("\n"))
		if !ended {
			break
		}
		if bytes.HasPrefix(line, []byte(tellPrefix)) || bytes.HasPrefix(line, []byte("perf: ")) {
			w.note(string(line))
		}
		w.rest = rest
	}
	return w.file.Write(text)
}

func (w *workerLog) close() { w.file.Close() }

// Choose returns the indices of n devices of a host: those that a query selects and more of its type, one for each piece of hardware.
func Choose(all []device.Info, query string, n int) ([]int, error) {
	first, err := device.Select(all, query)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, same := range device.Hardware(all) {
		if all[same[0]].Type == all[first].Type {
			list = append(list, same[0])
		}
	}
	switch {
	case n == 1:
		return []int{first}, nil
	case n > len(list):
		var names []string
		for _, i := range list {
			names = append(names, fmt.Sprintf("  %d  %s", i, all[i].Name))
		}
		return nil, device.SelectError(fmt.Sprintf("%d workers need as many devices of the type %s; there are:\n%s", n, all[first].Type, strings.Join(names, "\n")))
	}
	return list[:n], nil
}
