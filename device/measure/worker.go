package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"

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

// A worker reads requests and writes responses, each a line of JSON; a request for a job of machine code is followed by its bytes, and a response to
// a job by those of its outputs, in the order and of the sizes that it lists. While a job waits for its turn on the device, messages say so. The worker handles one request at a time, but for cancel, which
// has no response of its own. Its input's end tells it to exit at once.

type request struct {
	ID    int64       `json:"id"`
	Op    op          `json:"op"`
	Index int         `json:"index,omitempty"` // of open
	Job   *device.Job `json:"job,omitempty"`   // of run and build
	Image int64       `json:"image,omitempty"` // bytes of machine code that follow the line, in place of those of Job

	Programs string `json:"programs,omitempty"` // of open: the folder that keeps built programs, where the device can
	Place    place  `json:"place,omitzero"`     // of open
}

type op string

const (
	opDevices  op = "devices"  // answers with Devices, as far as is needed to open one
	opDescribe op = "describe" // answers with Devices
	opOpen     op = "open"     // opens the device Index; answers with Info
	opClose    op = "close"    // closes it; answers with nothing
	opRun      op = "run"      // runs Job on the open device; answers with Result or Error
	opBuild    op = "build"    // builds the program of Job and keeps it; answers with nothing, or Error
	opCancel   op = "cancel"   // ends the job under way soon
)

type response struct {
	ID      int64          `json:"id"`
	Devices []device.Info  `json:"devices,omitempty"`
	Info    *device.Info   `json:"info,omitempty"`
	Result  *device.Result `json:"result,omitempty"`
	Outputs []output       `json:"outputs,omitempty"`
	Error   *device.Error  `json:"error,omitempty"`   // the verdict on a job
	Failure string         `json:"failure,omitempty"` // of anything else
	Turn    turn           `json:"turn,omitempty"`    // no answer yet, but what the job does
	Holder  string         `json:"holder,omitempty"`  // of the turn that is awaited, in words
}

// turn says that a job waits for the device, or no longer.
type turn string

const (
	turnAwaited turn = "awaited"
	turnCome    turn = "come"
)

type output struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

func writeRequest(w io.Writer, r request) error {
	var image []byte
	if r.Job != nil && r.Job.Image != nil { // a library has many megabytes, which JSON takes long for
		job := *r.Job
		image, job.Image = job.Image, nil
		r.Job, r.Image = &job, int64(len(image))
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding a request: %w", err)
	}
	if _, err = w.Write(append(line, '\n')); err == nil && image != nil {
		_, err = w.Write(image)
	}
	return err
}

// readRequest reads a request. It returns io.EOF, bare, only where none follows.
func readRequest(in *bufio.Reader) (r request, err error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("not a request: %.200q: %w", line, err)
	}
	if r.Image == 0 {
		return r, nil
	}
	if r.Job == nil || r.Image < 0 {
		return r, fmt.Errorf("not a request: %.200q", line)
	}
	r.Job.Image = make([]byte, r.Image)
	_, err = io.ReadFull(in, r.Job.Image)
	return r, err
}

func writeResponse(w io.Writer, r response) error {
	if r.Result != nil {
		for _, name := range slices.Sorted(maps.Keys(r.Result.Outputs)) {
			r.Outputs = append(r.Outputs, output{name, int64(len(r.Result.Outputs[name]))})
		}
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding a response: %w", err)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return err
	}
	for _, o := range r.Outputs {
		if _, err := w.Write(r.Result.Outputs[o.Name]); err != nil {
			return err
		}
	}
	return nil
}

// readResponse returns io.EOF, bare, only where the worker ended between two responses.
func readResponse(in *bufio.Reader) (response, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		if len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return response{}, err
	}
	var r response
	if err := json.Unmarshal(line, &r); err != nil {
		return response{}, fmt.Errorf("not a response: %.200q: %w", line, err)
	}
	for _, o := range r.Outputs {
		if r.Result == nil || o.Size < 0 {
			return response{}, fmt.Errorf("not a response: %.200q", line)
		}
		if r.Result.Outputs == nil {
			r.Result.Outputs = map[string][]byte{}
		}
		data := make([]byte, o.Size)
		if _, err := io.ReadFull(in, data); err != nil {
			return response{}, io.ErrUnexpectedEOF
		}
		r.Result.Outputs[o.Name] = data
	}
	return r, nil
}
