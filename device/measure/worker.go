package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"gpuperf/device"
)

// WorkerArg is the hidden argument that makes an executable a worker.
const WorkerArg = "device-worker"

// WorkerMain is the whole of a worker process: it serves the backend on the process's input and output until the input
// ends, and returns the exit status. Whatever libraries print is moved to standard error, out of the protocol's way.
func WorkerMain(backend device.Backend) int {
	out, err := claimOutput()
	if err == nil {
		err = Serve(os.Stdin, out, backend)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "perf worker: %v\n", err)
		return 1
	}
	return 0
}

// Serve answers requests until in ends, and then returns at once, also while a job is under way: the process is to
// exit with it. An error is one of reading or writing; what goes wrong with a device is answered.
func Serve(in io.Reader, out io.Writer, backend device.Backend) error {
	w := &worker{backend: backend, out: out}
	requests := make(chan request)
	ended := make(chan error, 2)
	cancels := make(chan int64, 16)
	go func() { ended <- readRequests(in, requests, cancels) }()
	go func() {
		for r := range requests {
			answer := w.handle(r, cancels)
			if err := writeResponse(out, answer); err != nil {
				ended <- err
				return
			}
			if answer.Error != nil && answer.Error.Fatal {
				ended <- nil // the device's context is lost: the next job needs a new process
				return
			}
		}
	}()
	return <-ended
}

func readRequests(in io.Reader, requests chan<- request, cancels chan<- int64) error {
	lines := bufio.NewReader(in)
	for {
		r, err := readRequest(lines)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if r.Op == opCancel {
			select {
			case cancels <- r.ID:
			default: // nobody has listened for long: what was to be cancelled is over
			}
			continue
		}
		requests <- r
	}
}

type worker struct {
	backend device.Backend
	device  device.Device
	out     io.Writer
	id      int64 // of the request under way
}

// turn waits for the turn of the device, and says so.
func (w *worker) turn(ctx context.Context) (done func(), err error) {
	tell := func(t turn, holder string) { writeResponse(w.out, response{ID: w.id, Turn: t, Holder: holder}) } // that it cannot be written shows with the answer
	return takeTurn(ctx, turnFile(w.device.Info()), func(holder string) func() {
		tell(turnAwaited, holder)
		return func() { tell(turnCome, "") }
	})
}

func (w *worker) handle(r request, cancels <-chan int64) response {
	answer := response{ID: r.ID}
	w.id = r.ID
	var err error
	switch {
	case r.Op == opDevices:
		answer.Devices, err = w.backend.Devices()
	case r.Op == opDescribe:
		answer.Devices, err = device.Describe(w.backend)
	case r.Op == opOpen:
		answer.Info, err = w.open(r)
	case r.Op == opClose:
		w.close()
	case r.Op == opRun && r.Job != nil && w.device != nil:
		answer.Result, err = w.run(r.ID, *r.Job, cancels)
	case r.Op == opBuild && r.Job != nil && w.device != nil:
		if b, ok := w.device.(device.Builder); ok {
			err = b.Build(*r.Job)
		} else {
			err = errors.New("the device cannot build programs ahead")
		}
	default:
		err = fmt.Errorf("bad request %q", r.Op)
	}
	if verdict, ok := device.AsError(err); ok && r.Job != nil {
		answer.Error = verdict
	} else if err != nil {
		answer.Failure = err.Error()
	}
	return answer
}

// open opens a device in place of the one that was.
func (w *worker) open(r request) (*device.Info, error) {
	w.close()
	if err := r.Place.enter(); err != nil {
		return nil, err
	}
	var err error
	if w.device, err = w.backend.Open(r.Index); err != nil {
		w.device = nil
		return nil, err
	}
	info := w.device.Info()
	if b, ok := w.device.(device.Builder); ok {
		b.KeepPrograms(r.Programs)
	}
	if s, ok := w.device.(device.Shared); ok {
		s.TakeTurns(w.turn)
	}
	return &info, nil
}

// close closes the device, and gives the system back what it has taken: the process may wait for long.
func (w *worker) close() {
	if w.device != nil {
		w.device.Close()
		w.device = nil
		debug.FreeOSMemory()
	}
}

func (w *worker) run(id int64, job device.Job, cancels <-chan int64) (*device.Result, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		for {
			select {
			case c := <-cancels:
				if c == id {
					cancel(errors.New("the run was stopped"))
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return w.device.Run(ctx, job)
}
