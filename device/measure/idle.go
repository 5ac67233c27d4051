package measure

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
)

// idle are workers without an open device, kept for the next command of this process: a driver takes up to a second to start, and PoCL half a second before it compiles
// its first program. The one that has waited longest comes first.
var idle struct {
	sync.Mutex
	list []*process
}

// mostIdle bounds them: one that runs kernels, one that builds programs beside it.
const mostIdle = 2

// CloseIdle ends the workers that wait, and returns when they have ended.
func CloseIdle() {
	idle.Lock()
	list := idle.list
	idle.list = nil
	idle.Unlock()
	var all sync.WaitGroup
	for _, p := range list {
		all.Go(p.close)
	}
	all.Wait()
}

// kindOf is the same for workers that can stand for each other: they have the same environment, but for what is told them when they open a device.
func kindOf(environment []string) string {
	told := []string{"PWD", "OLDPWD", "TMPDIR", "PERF_DATA"}
	environment = slices.DeleteFunc(slices.Clone(environment), func(set string) bool {
		name, _, _ := strings.Cut(set, "=")
		return slices.Contains(told, name)
	})
	slices.Sort(environment)
	return strings.Join(environment, "\x00")
}

// worker is one that waits, or a new one.
func (o Options) worker() (*process, error) {
	idle.Lock()
	defer idle.Unlock()
	for i := len(idle.list) - 1; i >= 0; i-- {
		p := idle.list[i]
		if p.ended(0) {
			idle.list = slices.Delete(idle.list, i, i+1)
			p.kill() // what was open to it
		} else if o.kind != "" && p.kind == o.kind {
			idle.list = slices.Delete(idle.list, i, i+1)
			return p, nil
		}
	}
	p, err := start(o.Command, o.Env)
	if err == nil {
		p.kind = o.kind
	}
	return p, err
}

// rest has a worker wait that is no longer needed, or ends it where no other could use it.
func (p *process) rest() {
	if p.kind == "" {
		p.close()
		return
	}
	if _, err := p.ask(context.Background(), request{Op: opClose}, grace); err != nil {
		return // it is killed
	}
	idle.Lock()
	idle.list = append(idle.list, p)
	var first *process
	if len(idle.list) > mostIdle {
		first, idle.list = idle.list[0], slices.Delete(idle.list, 0, 1)
	}
	idle.Unlock()
	if first != nil {
		first.close()
	}
}

// place is what belongs to a process and may be another when its worker opens a device than when it was started.
type place struct {
	Folder    string `json:"folder,omitempty"`    // where it works
	Temporary string `json:"temporary,omitempty"` // the folder of files for a while
}

func here() place {
	folder, _ := os.Getwd() // none: files have their whole names
	return place{folder, os.TempDir()}
}

func (p place) enter() error {
	if p.Folder != "" {
		if err := os.Chdir(p.Folder); err != nil {
			return err
		}
	}
	return os.Setenv("TMPDIR", p.Temporary)
}
