package bench

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed memory.cu
var memorySource string

//go:embed machine.cu
var machineSource string

const (
	circle     = 4 << 20       // places of the circle for DRAM: 512 MB, with as much behind it
	hops       = 128 * 16      // steps of a chase: a full cycle of 128 lines, 16 times
	inner      = 16            // operations in the body of a loop
	innerTurns = 64            // of such a loop: many times what begins and ends it
	farStep    = 1<<20 + 12345 // odd, so that it visits all places, and far beyond what pages and prefetching join
)

// queueing warps fill the queue of a sub-partition.
const queueing = 4

// queued are how many loads a warp issues one after the other.
var queued = []int{4, 8, 16}

// queue is a kernel of which each fourth warp, all of one sub-partition, issues so many loads from shared memory, one after the other.
func queue(loads int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "KERNEL(queue_%d) {\n  __shared__ word s[1024];\n  for (word i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = i;\n  __syncthreads();\n", loads)
	fmt.Fprintf(&b, "  if (threadIdx.x / 32 %% 4) return;\n  word v[%d], x = place(s) + 4 * LANE, sum = 0;\n#pragma unroll 1\n  for (int i = 0; i < n; i++) {\n    dword t0 = now();\n", loads)
	for k := range loads {
		fmt.Fprintf(&b, "    asm volatile(\"ld.volatile.shared.u32 %%0, [%%1+%d];\" : \"=r\"(v[%d]) : \"r\"(x) : \"memory\");\n", 128*k, k)
	}
	b.WriteString("    dword t1 = now();\n    TELL\n")
	fmt.Fprintf(&b, "    for (int k = 0; k < %d; k++) sum += v[k];\n  }\n  KEEP(sum)\n}\n", loads)
	return b.String()
}

// list has measurements of one source.
type list struct {
	unit *unit
	all  []*Measurement
}

func (l *list) add(m Measurement) {
	m.unit = l.unit
	if m.kernel == "" {
		m.kernel = m.Name
	}
	m.Blocks, m.Items = max(m.Blocks, 1), max(m.Items, 32)
	l.all = append(l.all, &m)
}

// ofMachine are measurements inside a multiprocessor, and of the start of blocks.
func ofMachine(multiprocessors int64) []*Measurement {
	l := list{unit: &unit{name: "machine", text: head + machineSource}}
	for _, chain := range []struct {
		name, opcode string
		strides      []int64
	}{
		{"shared_load", "LDS", []int64{4, 8, 32, 128}},
		{"shared_add", "ATOMS", []int64{4, 0}},
		{"shared_swap", "ATOMS", []int64{4}},
		{"global_add", "ATOMG", []int64{0}},
		{"constants", "LDC", []int64{0}},
	} {
		for _, stride := range chain.strides {
			for _, warps := range []int64{1, 32} {
				l.add(Measurement{
					Name: chain.name, Varies: map[string]int64{"stride": stride, "warps": warps}, Items: 32 * warps, numbers: []int64{innerTurns, stride},
					holds: []hold{{chain.opcode, inner}}, tell: cycles, operations: inner * innerTurns,
				})
			}
		}
	}
	for _, warps := range []int64{1, 2, 4, 8, 16, 24, 32} {
		l.add(Measurement{
			Name: "barriers", Varies: map[string]int64{"warps": warps}, Items: 32 * warps, numbers: []int64{innerTurns}, holds: []hold{{"BAR", inner}},
			tell: cycles, operations: inner * innerTurns,
		})
	}
	for _, warps := range []int64{1, 4, 16, 32} {
		l.add(Measurement{
			Name: "tensor", Varies: map[string]int64{"warps": warps}, Items: 32 * warps, numbers: []int64{innerTurns}, holds: []hold{{"HMMA", inner}},
			tell: cycles, operations: inner * innerTurns,
		})
	}
	for _, length := range []int64{256, 1024, 4096, 8192} {
		for _, warps := range []int64{1, 8} {
			l.add(Measurement{
				Name: "code", Varies: map[string]int64{"instructions": length, "warps": warps}, kernel: fmt.Sprintf("code_%d", length), Items: 32 * warps, once: true,
				holds: []hold{{"FFMA", int(length)}}, tell: passes(3),
			})
		}
	}
	l.add(Measurement{
		Name: "blocks", Varies: map[string]int64{"groups": 4 * multiprocessors}, Blocks: 4 * multiprocessors, Items: 128, shared: 120 << 10, numbers: []int64{20000}, tell: starts,
	})
	for _, groups := range []int64{1, multiprocessors, 16384, 262144} {
		l.add(Measurement{Name: "empty", Varies: map[string]int64{"groups": groups}, Blocks: groups, Items: 32, timed: true, once: true})
	}
	q := list{unit: &unit{name: "queues"}}
	q.unit.text = head + "__device__ __forceinline__ word place(const void *p) { return (word)__cvta_generic_to_shared(p); }\n"
	for _, loads := range queued {
		q.unit.text += queue(loads)
		q.add(Measurement{
			Name: "queue", Varies: map[string]int64{"loads": int64(loads)}, kernel: fmt.Sprintf("queue_%d", loads), holds: []hold{{"LDS", loads}}, tell: cyclesOf(1), once: true, numbers: []int64{2}, Items: queueing * 4 * 32,
		})
	}
	return append(l.all, q.all...)
}

// ofMemory are measurements of global memory.
func ofMemory(multiprocessors int64) []*Measurement {
	l := list{unit: &unit{name: "memory", text: head + memorySource}}
	l.chases()
	l.walks(multiprocessors)
	l.moves(multiprocessors)
	l.streams(multiprocessors)
	return l.all
}

// chases tell latencies: each load has its address from the one before.
func (l *list) chases() {
	load := []hold{{"LDG", inner}}
	l.add(Measurement{Name: "chase_l1", before: []string{"link"}, numbers: []int64{128, 37}, holds: load, tell: cyclesOf(hops)})
	for _, places := range []int64{32 << 10, 128 << 10} {
		l.add(Measurement{
			Name: "chase_l2", Varies: map[string]int64{"bytes": places * 128}, before: []string{"link"}, memory: places * 128, numbers: []int64{places, 12345}, holds: load,
			tell: cyclesOf(hops),
		})
	}
	l.add(Measurement{
		Name: "chase_dram", kernel: "chase_l2", before: []string{"link", "sweep"}, once: true, memory: 2 * circle * 128, numbers: []int64{circle, farStep}, holds: load, tell: cyclesOf(hops),
	})
}

// walks tell how latencies grow with the warps that load at once.
func (l *list) walks(multiprocessors int64) {
	for _, warps := range []int64{1, 4, 8, 16, 32, 64} {
		blocks := max(warps/32, 1)
		for _, where := range []struct {
			name   string
			places int64
			cold   bool
			kernel string
		}{{"walk_l2", 1 << 19, false, "walk"}, {"walk_l2_apart", 1 << 19, false, "walk_apart"}, {"walk_dram", 1 << 25, true, "walk"}} {
			l.add(Measurement{
				Name: where.name, Varies: map[string]int64{"warps": warps}, kernel: where.kernel, Blocks: multiprocessors * blocks, Items: 32 * warps / blocks,
				memory: where.places * 32, numbers: []int64{where.places}, holds: []hold{{"LDG", 1}}, tell: meanWarp(64), once: where.cold,
			})
		}
	}
}

// moves tell how many bytes or operations caches take in a cycle, of one multiprocessor and of all.
func (l *list) moves(multiprocessors int64) {
	const eight = 8 // accesses in the body of the loop of a move
	for _, move := range []struct {
		name, opcode string
		bytes, loops int64
		blocks       []int64
	}{
		{"load_l1", "LDG", 64 << 10, 32, []int64{1}},
		{"load_l2", "LDG", 128 << 10, 32, []int64{1, multiprocessors}},
		{"store_l2", "STG", 128 << 10, 32, []int64{1, multiprocessors}},
		{"store_lines", "STG", 128 << 10, 16, []int64{1, multiprocessors}},
		{"store_sectors", "STG", 128 << 10, 16, []int64{1, multiprocessors}},
		{"store_words", "STG", 128 << 10, 32, []int64{1, multiprocessors}},
		{"fetch_lines", "ATOMG", 128 << 10, 16, []int64{1, multiprocessors}},
		{"fetch_apart", "ATOMG", 128 << 10, 16, []int64{1, multiprocessors}},
		{"add_apart", "RED|REDG", 128 << 10, 16, []int64{1, multiprocessors}},
		{"add_lines", "RED|REDG", 128 << 10, 16, []int64{1, multiprocessors}},
	} {
		for _, blocks := range move.blocks {
			l.add(Measurement{
				Name: move.name, Varies: map[string]int64{"groups": blocks}, Blocks: blocks, Items: 1024, memory: move.bytes * blocks, numbers: []int64{move.bytes, move.loops},
				holds: []hold{{move.opcode, eight}}, tell: cycles, turns: 1, operations: move.loops * eight,
			})
		}
	}
	for _, blocks := range []int64{1, multiprocessors} {
		l.add(Measurement{
			Name: "add_one", Varies: map[string]int64{"groups": blocks}, Blocks: blocks, Items: 512, numbers: []int64{1, 16}, holds: []hold{{"RED|REDG", eight}},
			tell: cycles, turns: 1, operations: 16 * eight,
		})
	}
}

// streams tell the rates of DRAM. A work-item moves 16 B at four places, all work-items apart: the last ones are beyond what is counted.
func (l *list) streams(multiprocessors int64) {
	const items = 256 // of a group
	groups := 16 * multiprocessors
	for _, megabytes := range []int64{512, 1024} {
		for _, name := range []string{"read_dram", "write_dram"} {
			l.add(Measurement{
				Name: name, Varies: map[string]int64{"megabytes": megabytes}, Blocks: groups, Items: items, memory: 1<<30 + 4*16*groups*items, numbers: []int64{megabytes}, timed: true, once: true,
			})
		}
	}
	for _, each := range []int64{32, 64} {
		l.add(Measurement{
			Name: "read_pages", Varies: map[string]int64{"each": each}, Blocks: groups, Items: items, memory: 1 << 30, numbers: []int64{1 << 20, each}, timed: true, once: true,
		})
	}
}

// Measurements are all of them, for a device of so many multiprocessors.
func Measurements(multiprocessors int64) []*Measurement {
	return slices.Concat(ofOperations(), ofMachine(multiprocessors), ofMemory(multiprocessors), ofConstants(multiprocessors))
}
