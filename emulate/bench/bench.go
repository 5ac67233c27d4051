// Package bench measures what the emulator must know of a CUDA device: latencies, gaps, queues, barriers, caches, the start of work-groups.
//
// A Measurement is a launch of a measurement kernel and what its results tell. The kernels are CUDA C: those of operations are made from
// a table (operation.go), others are written out (memory.cu, machine.cu). Compile builds them and refuses those whose machine code does
// not have what is to be measured as often as it should (check.go); Tasks are what a campaign runs. Rules (rules.go) make facts of the
// numbers, each with the measurement as its source; Sheet is the data sheet with them.
package bench

import (
	"fmt"
	"strconv"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/samples"
)

// Measurement is a launch of a measurement kernel, which may follow others, and what it tells.
type Measurement struct {
	Name    string // such as chain_lop3
	Varies  map[string]int64
	unit    *unit // of source
	kernel  string
	before  []string // kernels that are launched first
	Blocks  int64
	Items   int64 // of a block
	shared  int64 // bytes of a block, beside what the kernel declares
	once    bool  // launched once; others a first time for the caches
	numbers []int64
	turns   int // which of the numbers is how often the loop between the clocks turns
	// operations are those of each warp between the clocks, where they are all in that loop; 0 where its turns are fixed.
	operations int64
	memory     int64            // bytes of the buffer that it accesses; 0 is none
	holds      []hold           // what the loops of its machine code must have
	tell       func(r *results) // what the results tell
	timed      bool             // by the time of the launch, which takes several trials
}

// hold is how often loops must have opcodes.
type hold struct {
	opcodes string // alternatives, as FFMA|FADD
	times   int
}

// words of the buffer of results.
const words = 1 << 16

// Identity names the measurement in samples.
func (m *Measurement) Identity() samples.Identity {
	args := map[string]string{}
	for k, v := range m.Varies {
		args[k] = strconv.FormatInt(v, 10)
	}
	return samples.Identity{Source: "emulator", Variant: m.Name, Args: args}
}

// Key is the text of the identity.
func (m *Measurement) Key() string { return m.Identity().Key() }

// job is the launch. Arguments are the same for all kernels: results, inputs, memory, and two numbers.
func (m *Measurement) job() device.Job {
	args := []device.Arg{
		{Name: "t", Kind: device.Buffer, DType: "uint64", Count: words, Sequence: &device.Sequence{}, Write: true},
		{Name: "in", Kind: device.Buffer, DType: "uint64", Count: 1024, Sequence: &device.Sequence{Mul: 1<<32 + 1<<10, Add: 0x3ff000003f800000}},
		{Name: "a", Kind: device.Buffer, DType: "uint64", Count: max(m.memory, 1<<20) / 8, Sequence: &device.Sequence{}, Write: true},
	}
	for i := range 2 {
		n := int64(0)
		if i < len(m.numbers) {
			n = m.numbers[i]
		}
		args = append(args, device.Arg{Name: "nm"[i : i+1], Kind: device.Scalar, DType: "int32", Int: n})
	}
	job := device.Job{
		Identity: m.Identity(), Source: m.unit.text, Entry: m.kernel, Global: []int64{m.Blocks * m.Items}, Local: []int64{m.Items}, Dynamic: m.shared,
		Args: args, Keep: []string{"t"}, Reuse: true, Mode: samples.Warm, Policy: device.Policy{Trials: 1, MinTrials: 1, MinWarmUp: -1, MaxWarmUp: 1},
	}
	launches := append([]string{}, m.before...)
	if !m.once {
		launches = append(launches, m.kernel)
	}
	launches = append(launches, m.kernel)
	for i, name := range launches {
		l := device.Launch{Entry: name, Global: job.Global, Local: job.Local, Args: args, Dynamic: job.Dynamic}
		if name != m.kernel {
			l.Global, l.Local, l.Dynamic = []int64{preparing}, []int64{256}, 0
		}
		if i == 0 {
			job.Entry, job.Global, job.Local, job.Dynamic = l.Entry, l.Global, l.Local, l.Dynamic
		} else {
			job.Then = append(job.Then, l)
		}
	}
	if m.timed {
		job.Policy, job.Keep = device.Policy{Trials: timedTrials, MinTrials: timedTrials}, nil
	}
	return job
}

const (
	preparing   = 256 * 1024 // work-items of kernels that prepare
	timedTrials = 9          // their median is not that of a disturbed one, of up to four
)

// Tasks are what a campaign runs for measurements: each is refused that the machine code does not measure.
func Tasks(all []*Measurement, code Code) []measure.Task {
	tasks := make([]measure.Task, len(all))
	for i, m := range all {
		job := m.job()
		built, verdict := code.of(m)
		job.Image = built
		tasks[i] = measure.Task{Job: job, Verdict: verdict, Unverified: "its results are times"}
		if !m.timed {
			tasks[i].Metrics = m.metrics
		}
	}
	return tasks
}

// metrics are the numbers that the results tell.
func (m *Measurement) metrics(outputs map[string][]byte) (map[string]samples.Metric, error) {
	r := &results{words: outputs["t"], of: m, told: map[string]samples.Metric{}}
	m.tell(r)
	if len(r.told) == 0 {
		return nil, fmt.Errorf("%s: the kernel has not written its times", m.Key())
	}
	return r.told, nil
}
