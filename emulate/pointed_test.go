package emulate

import (
	"fmt"
	"testing"

	"gpuperf/device"
)

// Pointers far apart part a buffer, those to neighbours and those that an instruction passes by do not.
func TestPointed(t *testing.T) {
	const k = 1 << 10
	to := func(name string, at int64) device.Arg {
		return device.Arg{Name: name, Kind: device.Buffer, DType: "float32", Count: 256 * k, At: at}
	}
	job := &device.Job{Args: []device.Arg{to("b", 256*k), to("c", 0), to("b", 0), to("b", 256*k+4), to("b", 512*k)}}
	places := func(address uint64) (string, uint64) { // b lies at 0, c at 4 MB
		if address >= 4<<20 {
			return "c", address - 4<<20
		}
		return "b", address
	}
	for _, c := range []struct {
		accesses []span
		want     string
	}{
		{nil, "b 0 to 256 K, b 256 to 512 K, b 512 to 1024 K, c 0 to 1024 K, "},
		{[]span{{from: 0, to: 256 * k}, {from: 300 * k, to: 301 * k}, {from: 4 << 20, to: 5 << 20}}, "b 0 to 256 K, b 256 to 512 K, b 512 to 1024 K, c 0 to 1024 K, "},
		{[]span{{from: 300 * k, to: 513 * k}}, "b 0 to 256 K, b 256 to 1024 K, c 0 to 1024 K, "},
		{[]span{{from: 0, to: 5 << 20}}, "b 0 to 1024 K, c 0 to 1024 K, "},
	} {
		got := ""
		for _, p := range unparted(split(job), c.accesses, places) {
			got += fmt.Sprintf("%s %d to %d K, ", p.buffer, p.from/k, p.to/k)
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.accesses, got, c.want)
		}
	}
}
