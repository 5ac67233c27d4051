// Package nvml asks NVIDIA's management library for the state of a GPU: OpenCL and CUDA tell the highest clock only. It comes with
// the driver; where it is missing, or does not know the device, nothing is told.
package nvml

import (
	"encoding/hex"
	"runtime"
	"strings"
	"unsafe"

	"gpuperf/device/dl"
	"gpuperf/samples"
)

// State answers for one device. Nil knows nothing.
type State struct {
	*dl.Library
	device uintptr
}

// libraries are tried in this order.
var libraries = []string{"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1"}

// limitNames names the bits of nvmlClocksThrottleReasons, as nvml.h defines them.
var limitNames = []struct {
	bit  uint64
	name string
}{
	{0x1, "idle"},
	{0x2, "application clocks"},
	{0x4, "software power cap"},
	{0x8, "hardware slowdown"},
	{0x10, "sync boost"},
	{0x20, "software thermal slowdown"},
	{0x40, "hardware thermal slowdown"},
	{0x80, "hardware power brake"},
	{0x100, "display clock"},
}

// Open finds the device by its UUID (32 hex digits), else by its PCI address; nil where it cannot be found.
func Open(open dl.Opener, uuid, pci string) *State {
	n := start(open)
	if n == nil || n.find("nvmlDeviceGetHandleByUUID", spelled(uuid)) || n.find("nvmlDeviceGetHandleByPciBusId_v2", pci) {
		return n
	}
	n.Close()
	return nil
}

// start begins the use of the library; nil where it cannot be used.
func start(open dl.Opener) *State {
	l, err := open(libraries)
	if err != nil {
		return nil
	}
	n := &State{Library: l}
	if !n.call("nvmlInit_v2") {
		return nil
	}
	return n
}

// Driver is the version of the driver, as 580.159.04; "" where it is not told.
func Driver(open dl.Opener) string {
	n := start(open)
	if n == nil {
		return ""
	}
	defer n.Close()
	text := new([80]byte) // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(text)
	if !n.call("nvmlSystemGetDriverVersion", uintptr(unsafe.Pointer(text)), uintptr(len(text))) {
		return ""
	}
	version, _, _ := strings.Cut(string(text[:]), "\x00")
	return version
}

// spelled spells a UUID as the library does: GPU-5f4dd1a4-085a-b3e1-1fbc-41608d751f41.
func spelled(uuid string) string {
	if b, err := hex.DecodeString(uuid); err != nil || len(b) != 16 {
		return ""
	}
	return "GPU-" + strings.Join([]string{uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]}, "-")
}

// call reports whether a function succeeded. Pointers converted to uintptr in its arguments stay valid until it returns.
//
//go:uintptrescapes
func (n *State) call(function string, args ...uintptr) bool {
	r, ok := n.Call(function, args...)
	return ok && r == 0
}

func (n *State) find(function, name string) bool {
	if name == "" {
		return false
	}
	text := append([]byte(name), 0)
	device := new(uintptr)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&text[0])
	pin.Pin(device)
	ok := n.call(function, uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(device)))
	n.device = *device
	return ok && *device != 0
}

// ask calls a function that answers at the place that its last argument points to.
func (n *State) ask(function string, args ...uintptr) (uint64, bool) {
	value := new(uint64) // the answers are of 4 or 8 bytes, little-endian
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(value)
	all := append([]uintptr{n.device}, args...)
	ok := n.call(function, append(all, uintptr(unsafe.Pointer(value)))...)
	return *value, ok
}

// Clocks returns the state of the device now, nil where nothing of it is told.
func (n *State) Clocks() *samples.Clocks {
	const clockSM, clockMemory, gpuTemperature = 1, 2, 0 // NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU
	if n == nil {
		return nil
	}
	known := false
	ask := func(function string, args ...uintptr) uint64 { // 0 where it is not told
		v, ok := n.ask(function, args...)
		if known = known || ok; !ok {
			return 0
		}
		return v
	}
	c := samples.Clocks{
		SM:          int64(ask("nvmlDeviceGetClockInfo", clockSM)),
		Memory:      int64(ask("nvmlDeviceGetClockInfo", clockMemory)),
		Power:       float64(ask("nvmlDeviceGetPowerUsage")) / 1000,
		Temperature: int64(ask("nvmlDeviceGetTemperature", gpuTemperature)),
	}
	limits := ask("nvmlDeviceGetCurrentClocksThrottleReasons")
	for _, l := range limitNames {
		if limits&l.bit != 0 {
			c.Limits = append(c.Limits, l.name)
		}
	}
	if !known {
		return nil
	}
	return &c
}

// Energy is what the device has used since the driver was loaded, in joules; false where that is not told, as of GPUs before Volta.
func (n *State) Energy() (joules float64, ok bool) {
	if n == nil {
		return 0, false
	}
	millijoules, ok := n.ask("nvmlDeviceGetTotalEnergyConsumption")
	return float64(millijoules) / 1000, ok
}

// Close ends the use of the library.
func (n *State) Close() {
	if n != nil {
		n.call("nvmlShutdown")
	}
}
