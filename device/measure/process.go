package measure

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a running worker.
type process struct {
	cmd       *exec.Cmd
	in        *os.File // its standard input
	responses chan response
	bad       error         // why responses was closed; io.EOF when the worker just ended
	exited    chan struct{} // closed when it is gone
	exit      error         // how
	stderr    *excerpt
	lastID    int64
	kind      string        // "" is one that is for nobody else
	grace     time.Duration // to end by itself, if more than usual

	waiting func(holder string) // called when a job waits for its turn; nil is not at all
	waited  time.Duration       // for turns
}

// grace is how long a worker gets for what should take no time.
const grace = 2 * time.Second

// Why an exchange with a worker had no answer.
var (
	errDeadline = errors.New("no answer before the deadline")
	errStopped  = errors.New("stopped")
)

// deadError says that a worker died, and its last words.
type deadError struct {
	how string
	log string
}

func (e *deadError) Error() string { return "the worker died: " + e.how }

func start(command, env []string) (*process, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer stdout.Close()
	p := &process{in: in, responses: make(chan response), exited: make(chan struct{}), stderr: &excerpt{}}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, p.stderr
	p.cmd.WaitDelay = grace // for what a dead worker's children still hold open
	isolate(p.cmd)
	started := make(chan error)
	go func() {
		// The system kills the worker when this thread ends: it must be no thread that the runtime may drop.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.exit = p.cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	go p.read(out)
	return p, nil
}

func (p *process) read(out *os.File) {
	defer out.Close()
	in := bufio.NewReaderSize(out, 1<<16)
	for {
		r, err := readResponse(in)
		if err != nil {
			p.bad = err
			close(p.responses)
			return
		}
		p.responses <- r
	}
}

// ask sends a request and waits for its response; the limit begins anew when a job's turn has come. Without a response the worker is no longer of use, and is killed: the error is
// errDeadline, errStopped, or a *deadError.
func (p *process) ask(ctx context.Context, r request, limit time.Duration) (response, error) {
	if p.lastID > 0 {
		p.stderr.reset() // but what a worker says before its first request is about itself
	}
	p.lastID++
	r.ID = p.lastID
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var since time.Time // it has been waiting; zero where it does not
	come := func() {
		if !since.IsZero() {
			p.waited, since = p.waited+time.Since(since), time.Time{}
		}
	}
	defer come()
	if err := p.send(r, limit); err != nil {
		return response{}, err
	}
	stop, stopping := ctx.Done(), false
	for {
		select {
		case answer, ok := <-p.responses:
			switch {
			case !ok:
				return response{}, p.autopsy(p.bad)
			case answer.ID != r.ID:
				return response{}, p.autopsy(fmt.Errorf("answer %d to request %d", answer.ID, r.ID))
			case answer.Turn == turnAwaited && !stopping:
				timer.Stop()
				since = time.Now()
				if p.waiting != nil {
					p.waiting(answer.Holder)
				}
				continue
			case answer.Turn == turnCome && !stopping:
				come()
				timer.Reset(limit)
				continue
			case answer.Turn != "":
				continue
			}
			return answer, nil
		case <-timer.C:
			p.kill()
			if stopping {
				return response{}, errStopped
			}
			return response{}, errDeadline
		case <-stop:
			// Asked politely a worker stays of use; one that is too busy to hear is killed.
			stop, stopping = nil, true
			writeRequest(p.in, request{ID: r.ID, Op: opCancel})
			timer.Reset(grace)
		}
	}
}

// send writes a request; a worker that does not take it in time is killed.
func (p *process) send(r request, limit time.Duration) error {
	p.in.SetWriteDeadline(time.Now().Add(limit))
	err := writeRequest(p.in, r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.kill()
		return errDeadline
	}
	if err != nil {
		return p.autopsy(err)
	}
	return nil
}

// autopsy makes sure that the worker is dead, and says how it died.
func (p *process) autopsy(reason error) error {
	byItself := p.ended(grace)
	p.kill()
	log := p.stderr.String()
	if !byItself {
		return &deadError{"it was killed after a broken answer: " + reason.Error(), log}
	}
	how := "exit status 0"
	if p.exit != nil {
		how = p.exit.Error()
	}
	if !brokenOff(reason) {
		how += ", " + reason.Error()
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(log), "\n"); first != "" {
		how += ": " + first
	}
	return &deadError{how, log}
}

// brokenOff reports whether an error says no more than that the other side is gone.
func brokenOff(err error) bool {
	return slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, os.ErrClosed, syscall.EPIPE},
		func(e error) bool { return errors.Is(err, e) })
}

// ended waits for the worker's end.
func (p *process) ended(limit time.Duration) bool {
	select { // first, as a limit of 0 may pass at once
	case <-p.exited:
		return true
	default:
	}
	select {
	case <-p.exited:
		return true
	case <-time.After(limit):
		return false
	}
}

// kill ends the worker, if it has not ended, without asking. One that a driver holds on to in the kernel dies when the
// driver lets go; it is not waited for much longer than that takes when all is well.
func (p *process) kill() {
	p.in.Close()
	if !p.ended(0) {
		kill(p.cmd.Process)
		p.ended(5 * grace)
	}
	go func() { // let the reader end
		for range p.responses {
		}
	}()
}

// close lets the worker end by itself, and kills it if it does not.
func (p *process) close() {
	p.in.Close()
	p.ended(max(p.grace, grace))
	p.kill()
}

// excerpt keeps the beginning and the end of what is written to it.
type excerpt struct {
	mu   sync.Mutex
	head []byte
	tail []byte
	cut  bool
}

const excerptSize = 4 << 10 // a screen of text

func (e *excerpt) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(b)
	k := min(excerptSize-len(e.head), n)
	e.head = append(e.head, b[:k]...)
	e.tail = append(e.tail, b[k:]...)
	if over := len(e.tail) - excerptSize; over > 0 {
		e.tail = bytes.Clone(e.tail[over:])
		e.cut = true
	}
	return n, nil
}

func (e *excerpt) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	gap := ""
	if e.cut {
		gap = "\n[...]\n"
	}
	return string(e.head) + gap + string(e.tail)
}

func (e *excerpt) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.head, e.tail, e.cut = nil, nil, false
}
