package measure

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"gpuperf/device"
)

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
