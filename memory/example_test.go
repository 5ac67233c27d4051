package memory_test

import (
	"fmt"

	"gpuperf/memory"
)

// Each of 4096 work-groups loads its own 1 KB twice, one after the other, and stores 1 KB: the second loads find their data in L1.
func Example() {
	const groups, items, width = 4096, 256, 4
	lanes := make([]int64, items)
	for i := range lanes {
		lanes[i] = int64(i) * width
	}
	once, twice := memory.Run{Count: 1}, memory.Run{Count: 2} // iterations, all at one place
	access := func(array int, store bool, loops []memory.Run, executions float64) *memory.Access {
		own := memory.Run{Step: 1, Count: groups, Stride: items * width}
		sectors := executions * groups * items * width / memory.SectorBytes
		return &memory.Access{Array: array, Store: store, Width: width, Parts: []memory.Part{{
			Lanes: lanes, Groups: [3]memory.Run{own, once, once}, Loops: loops, Times: 1,
			Sectors: sectors, Lines: sectors / 4, Requests: executions * groups * items / 32,
		}}}
	}
	launch := memory.Launch{
		Groups: [3]int64{groups, 1, 1},
		Arrays: []memory.Array{{Name: "x", Bytes: groups * items * width}, {Name: "y", Bytes: groups * items * width}},
		Body:   []memory.Step{&memory.Loop{Body: []memory.Step{access(0, false, []memory.Run{twice}, 2)}}, access(1, true, nil, 1)},
	}
	t := launch.Estimate(memory.Device{Multiprocessors: 132, Resident: 8, L1: 200e3, L2: 50e6})
	fmt.Printf("sub-groups load %.3g MB, L2 %.3g MB of these, DRAM %.3g MB; %.3g MB are stored\n",
		t.L1Loads*memory.SectorBytes/1e6, t.L2Loads*memory.SectorBytes/1e6, t.DRAMReads/1e6, t.Written/1e6)
	// Output:
	// sub-groups load 8.39 MB, L2 4.19 MB of these, DRAM 4.19 MB; 4.19 MB are stored
}
