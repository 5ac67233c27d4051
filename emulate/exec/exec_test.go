package exec_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

// function reads a function of a listing.
func function(path, name string) (*sass.Function, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l, err := sass.Parse(string(text))
	if err != nil {
		return nil, err
	}
	for _, f := range l.Functions {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s has no function %s", path, name)
}

// saxpy is a launch of four groups of 256 on 1,000 elements.
func saxpy() (*exec.Launch, error) {
	f, err := function("../../testdata/sass/saxpy.sass", "saxpy")
	if err != nil {
		return nil, err
	}
	const n = 1000
	return exec.New(f, device.Job{
		Global: []int64{1024}, Local: []int64{256},
		Args: []device.Arg{
			{Kind: device.Scalar, DType: "int32", Int: n},
			{Kind: device.Scalar, DType: "float32", Float: 2},
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: n, Seed: 1},
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: n, Seed: 2},
		},
	}, exec.Assumptions{})
}

// Example steps through the last sub-group that has work: lanes behind the end leave.
func Example() {
	launch, err := saxpy()
	if err != nil {
		fmt.Println(err)
		return
	}
	group := launch.Group([3]uint32{3, 0, 0})
	warp := group.Warps[7]
	for warp.State() == exec.Ready {
		step := warp.Step()
		for _, a := range step.Accesses {
			if a.Space == sass.Global {
				name, offset := launch.Memory.Find(a.Address[0])
				fmt.Printf("%-45v %v %s of %s from byte %d, lanes %08x\n", &launch.Function.Instructions[step.Index], a.Space, a.Action, name, offset, a.Lanes)
			}
		}
	}
	group.Run(1000)
	fmt.Println(group.Ended(), launch.Doubts())
	// Output:
	// LDG.E.CONSTANT R2, desc[UR4][R2.64]           global load of x from byte 3968, lanes 000000ff
	// LDG.E R7, desc[UR4][R4.64]                    global load of y from byte 3968, lanes 000000ff
	// STG.E desc[UR4][R4.64], R7                    global store of y from byte 3968, lanes 000000ff
	// true []
}

// TestStores: what a group stores is what the kernel computes, and what others would store is as it was.
func TestStores(t *testing.T) {
	launch, err := saxpy()
	if err != nil {
		t.Fatal(err)
	}
	group := launch.Group([3]uint32{1, 0, 0})
	group.Run(1000)
	const n = 1000
	x, y := make([]byte, 4*n), make([]byte, 4*n)
	device.Fill("float32", x, 1)
	device.Fill("float32", y, 2)
	want := bytes.Clone(y)
	for i := 256; i < 512; i++ {
		at := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])) }
		binary.LittleEndian.PutUint32(want[4*i:], math.Float32bits(float32(float64(2*at(x))+float64(at(y)))))
	}
	got, known := group.Read("y", 0, 4*n)
	for i := range got {
		if got[i] != want[i] || !known[i] {
			t.Fatalf("byte %d is %x, known %v, and should be %x", i, got[i], known[i], want[i])
		}
	}
}
