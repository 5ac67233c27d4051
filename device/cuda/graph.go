package cuda

import (
	"cmp"
	"runtime"
	"unsafe"

	"gpuperf/device/runner"
)

// graph are launches that were recorded, to be enqueued together.
type graph struct {
	*driver
	exec uintptr
}

// Graph records the launches that a function enqueues, none of which runs.
func (d *driver) Graph(enqueue func() error) (runner.Graph, error) {
	const relaxed = 2 // CU_STREAM_CAPTURE_MODE_RELAXED: other calls are allowed meanwhile
	if err := d.do("cuStreamBeginCapture_v2", d.stream, relaxed); err != nil {
		return nil, err
	}
	d.recording = true
	failed := enqueue()
	d.recording = false
	var pin runtime.Pinner
	defer pin.Unpin()
	recorded := new(uintptr)
	pin.Pin(recorded)
	if err := d.do("cuStreamEndCapture", d.stream, uintptr(unsafe.Pointer(recorded))); err != nil {
		return nil, cmp.Or(failed, err)
	}
	defer d.do("cuGraphDestroy", *recorded)
	if failed != nil {
		return nil, failed
	}
	exec, err := get[uintptr](&d.api, "cuGraphInstantiateWithFlags", *recorded, 0)
	if err != nil {
		return nil, err
	}
	return &graph{d, exec}, nil
}

// Launch enqueues all launches between two events.
func (g *graph) Launch() (runner.Event, error) {
	return g.between(func() error { return g.do("cuGraphLaunch", g.exec, g.stream) })
}

// Release gives the graph back.
func (g *graph) Release() { g.do("cuGraphExecDestroy", g.exec) }
