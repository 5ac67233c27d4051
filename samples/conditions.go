package samples

import (
	"fmt"
	"math"
	"time"
)

// SentinelSource is the source that sentinel runs are filed under. It is no generator's name.
const SentinelSource = "sentinel"

// Sentinel is the latest run, before a measurement, of a fixed kernel that shows whether the device still runs as it did.
type Sentinel struct {
	Seconds float64   `json:"seconds"` // median of its trials
	Ratio   float64   `json:"ratio"`   // to the first run of the session
	Time    time.Time `json:"time"`    // when it ended
}

func (s Sentinel) check() error {
	for _, v := range []float64{s.Seconds, s.Ratio} {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%g is neither a time nor a ratio", v)
		}
	}
	return nil
}

// IsSentinel reports whether the record is of a sentinel run itself, and of no kernel that anybody asked for.
func (r Record) IsSentinel() bool { return r.Kernel.Source == SentinelSource }

// Clocks is the state of a device at a moment. Zero means that it was not told.
type Clocks struct {
	SM          int64    `json:"sm_mhz,omitempty"`        // of the multiprocessors
	Memory      int64    `json:"memory_mhz,omitempty"`    // of global memory
	Power       float64  `json:"power_watts,omitempty"`   // drawn by the board
	Temperature int64    `json:"temperature_c,omitempty"` // of the GPU, in degrees Celsius
	Limits      []string `json:"limits,omitempty"`        // what holds the clocks down, in the vendor's words
}
