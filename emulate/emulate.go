// Package emulate tells how long a launch takes on a GPU, from its machine code alone, what its warps wait for, and what would help.
//
// It is abstract emulation with sensitivity analysis after Hong et al., "GPU Code Optimization using Abstract Kernel Emulation and Sensitivity
// Analysis", PLDI 2018. Package trace executes the blocks of one multiprocessor as far as values decide about control and addresses; package
// timing lets their warps issue on a machine that is made of the facts of a device (machine.go, op.go). Some blocks stand for the others
// (blocks.go), and package memory says what of their traffic DRAM serves (traffic.go). Of each latency and gap follows by how much the time
// would change if it was 10 % greater (sensitivity.go).
package emulate

import (
	"fmt"
	"strings"
	"sync"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
	"gpuperf/internal/fault"
	"gpuperf/launchfile"
	"gpuperf/memory"
	"gpuperf/sass"
)

// Input is what is emulated.
type Input struct {
	Function *sass.Function
	Job      device.Job // its first launch
	Code     launchfile.Code
	Assume   []launchfile.Assumption
	Device   *facts.Device
	ClockMHz float64 // 0 is the greatest of the device
	// Overwritten are buffers that earlier launches have written: what they hold is not known.
	Overwritten []string
	// Paper asks for the rule of the paper where conditions are not known: all ways, one after the other. Otherwise none is taken that leads to a
	// trap or a slow path of arithmetic.
	Paper bool
	// Profile is what the hardware has counted of the launch: it says how often branches are taken that depend on unknown data. Nil is nothing.
	Profile []Executed
	// Compiled: the code is what package compile made of the source, and not the compiler of the device.
	Compiled bool
	// Cold is a launch that finds nothing in the caches. Otherwise they are as the same launch has left them.
	Cold bool
	// Others is what other launches have done to the second-level cache since the same one came before.
	Others Others
	// Unrestored is a launch as in an application. Otherwise buffers that it reads and writes are copied before it, as whoever times it again and again does.
	Unrestored bool
	// Sensitivity asks for the time with each latency and gap 10 % greater.
	Sensitivity bool
	// Binds asks for no more of that than what binds, in a tenth of the work.
	Binds bool
	// Regions asks for the same by region.
	Regions bool
}

// Others is what other launches have done to the second-level cache since a launch came before.
type Others struct {
	Missing float64 // the part of what it loads that they have displaced
	// Written are the bytes that it makes the cache write to DRAM beyond those that it would after itself: of what they have stored, less what the cache keeps to write
	// during the next launch. Negative where that is more.
	Written float64
}

// Result is what emulation tells of a launch.
type Result struct {
	Kernel   string
	At       map[string]int64 // the sizes
	Device   string
	Origin   string     // where the machine code comes from, as an output names it; "" is not said
	Status   Status     // what kind of a time it is
	Seconds  float64    // of the kernel on the device; a lower bound or infinite, as Status says
	Interval [2]float64 // that the time is taken to be in; it has no end where there is no evidence of one
	Reasons  []Reason   // why it has none
	Launch   float64    // seconds that a launch adds where it is timed from outside
	Cycles   float64
	ClockMHz float64
	// ClockGiven is whether the clock was given: it is the greatest of the device otherwise.
	ClockGiven bool
	Waves      float64

	Blocks    int64 // of a multiprocessor at once
	Limits    []machine.Limit
	LimitedBy string
	Occupancy float64 // warps that are resident on average, of those that a multiprocessor has room for

	Bottleneck  Bottleneck
	Sensitivity []Sensitivity // the greatest first
	Scatter     float64       // by how much a sensitivity may be off by chance
	Regions     []*Region     // the code by loop nests
	Advice      []Advice      // the best first
	Utilization map[timing.Unit]float64
	Memory      Memory
	Touched     []memory.Bytes // of the buffers, those that the launch accesses
	Hottest     []Hot
	Lines       []Line                  // of the source, those that warps wait for most first
	Stalls      [timing.Reasons]float64 // parts of the warps' time in which they wait; they issue in what remains
	Doubts      []exec.Doubt
	Warnings    []string
	Effort      Effort
	Work        machine.Work // of the launch, as far as emulation tells: no arithmetic, and not what a work-group waits for
	Written     []string     // buffers that the launch writes

	function  *sass.Function
	emulation *emulation
	base      timed
}

// Memory is what a launch moves.
type Memory struct {
	L1Hit, L2Hit      float64 // parts of the sectors that are loaded
	Requests, Sectors float64 // of global memory by sub-groups, and the sectors that these load and store
	L2Sectors         float64 // that pass between multiprocessors and the second-level cache
}

// Effort is what emulation did.
type Effort struct {
	Blocks int     // that were executed
	Steps  int     // instructions that were executed lane by lane
	Issued int64   // instructions that were timed
	Stands int64   // instructions of these blocks with all iterations
	Scale  float64 // instructions of the launch for each that a run has issued, skipped ones too
	Bytes  int     // that the traces of blocks take, about
}

// Hot is an instruction, and the part of the warps' time that they wait before it.
type Hot struct {
	Index  int
	Part   float64
	Reason timing.Reason
}

// Run emulates a launch.
func Run(in Input) (_ *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s cannot be emulated: %w", in.Function.Name, fault.Of(p))
		}
	}()
	many := 0
	if in.Device, many, err = Device(in.Device); err != nil {
		return nil, fmt.Errorf("%w\n    perf calibrate --emulator measures them on such a device; in a sheet that names NVIDIA H200 as its architecture they are as there", err)
	}
	if in.ClockMHz > 0 {
		in.Device = in.Device.With(facts.ClockMHz, in.ClockMHz, "given")
	}
	e := &emulation{Input: in, executed: map[[3]uint32]*timing.Block{}, scaled: many}
	if many > 0 {
		e.warn("of %s there is a data sheet, and %d numbers that emulation needs are not measured: they are those of %s, scaled by the sheets of both", in.Device.Name(), many, machine.Usual)
	}
	if err := e.prepare(); err != nil {
		return nil, err
	}
	e.choose()
	spinning(e)
	e.chain = e.chained()
	e.traffic()
	e.gathered()
	base := e.settled()
	return e.told(base), nil
}

// told is what is asked for of a launch that takes as long.
func (e *emulation) told(base timed) *Result {
	r := e.result(base)
	r.emulation, r.base = e, base
	switch {
	case !r.Status.Timed():
	case e.Sensitivity:
		e.sensitivity(r, base)
		if e.Regions {
			e.regions(r, base)
		}
	case e.Binds:
		e.binds(r, base)
	}
	return r
}

// After is the launch by the same traces after others, with what binds it or without. The result itself is not to be asked again.
func (r *Result) After(others Others, binds bool) *Result {
	e, base := r.emulation, r.base
	e.Binds = binds
	if others != e.Others {
		e.Others = others
		e.again, e.shares, e.known = 0, nil, sync.Once{}
		e.serve()
		base = e.settled()
	}
	return e.told(base)
}

// emulation is one in progress.
type emulation struct {
	Input
	launch      *exec.Launch
	builder     *trace.Builder
	ops         []timing.Op
	grid        [3]int64
	work        machine.Work // blocks, what each takes of a multiprocessor
	warps       int64        // of a block
	resident    int64
	limits      []machine.Limit
	busy        int64 // multiprocessors
	blocks      []*timing.Block
	shown       [3]uint32      // the place of the first of blocks
	most        int64          // blocks of the multiprocessor with most
	unseen      float64        // the part of the blocks, which differ and all run at once, that were not looked at
	first       int64          // number of the first block of the multiprocessor that is looked at
	accessed    *memory.Launch // what memory is told of
	standing    *timing.Block  // whose accesses stand for those of all
	moved       memory.Traffic // what it says
	memory      Memory
	loads       float64            // the part of the loads from the second-level cache that DRAM serves
	filled      float64            // the part of the sectors that are stored which come from DRAM first
	asked       []asked            // loads, by instruction
	waits       map[int32]float64  // waiting
	fresh       freshness          // what touches sectors first
	stored      map[int64]float64  // sectors that all work-groups store in the same places, by the part of the second-level cache
	storedLines map[int64]bool     // the lines of these
	again       float64            // the part of what a block loads again that DRAM serves; 0 is as of all loads
	sector      float64            // seconds for which DRAM is busy with a sector; 0 is what its rate says
	lengths     *lengths           // of blocks, where these are not alike
	idle        []float64          // the part of blocks that have nothing to do, in each part of the launch; nil for none
	apartBlocks [2][]*timing.Block // where there are such: those that have something to do, and those that have not
	last        *timing.Block      // where there are such and all run at once: the longest one
	known       sync.Once          // shares
	shares      []float64          // of what a multiprocessor executes in a cycle, by how many blocks it has; of launches with lengths
	short       func() float64     // the time of the launch over that of a run of fewer instructions
	met         meeting            // where atomic operations meet
	chain       chain
	executed    map[[3]uint32]*timing.Block
	steps       map[int32]timing.Step // between the last two blocks, by instruction
	warnings    []string
	scaled      int // facts of the device that are those of another one, scaled
}

func (e *emulation) prepare() (err error) {
	assume, err := assumptions(e.Function, e.Assume)
	if err != nil {
		return err
	}
	assume.Overwritten, assume.Paper = e.Overwritten, e.Paper
	if e.Profile != nil && !guided(e.Function, e.Profile, &assume) {
		e.warn("%s: what was counted is of other machine code, and is not used", e.Function.Name)
	}
	if e.launch, err = exec.New(e.Function, e.Job, assume); err != nil {
		return err
	}
	if code, on := e.Function.Target, e.Device.Architecture; strings.HasPrefix(on, "sm_") && code != "" && !strings.HasPrefix(code, on) {
		e.warn("%s: the code is for %s, and taken to run on %s, which is %s", e.Function.Name, code, e.Device.Name(), on)
	}
	e.warnOfPages()
	e.builder = trace.New(e.launch)
	e.ops = ops(e.Function, e.Device)
	items := int64(1)
	e.work = machine.Work{Launches: 1, Groups: 1}
	for d := range e.grid {
		e.grid[d] = int64(e.launch.Grid[d])
		e.work.Groups *= e.grid[d]
		items *= int64(e.launch.Block[d])
	}
	e.warps = (items + exec.WarpSize - 1) / exec.WarpSize
	registers := e.Code.Registers
	if registers == 0 {
		registers = int64(e.Function.Registers)
	}
	if registers == 0 {
		registers = named(e.Function)
		e.warn("the registers of a work-item are not known: %d are those that the code names", registers)
	}
	e.work.Group = machine.Group{Items: items, Registers: machine.Allocated(e.Device, registers, exec.WarpSize), Local: max(e.Code.Shared, e.Job.LocalMem) + e.Job.Dynamic, Subgroup: exec.WarpSize}
	e.limits = machine.Limits(e.Device, e.work.Group)
	e.resident, _ = machine.Resident(e.limits)
	alone := e.Job
	alone.Then, alone.LocalMem = nil, max(e.Code.Shared, e.Job.LocalMem)
	if verdict := alone.Exceeds(e.Device.Limits()); verdict != nil {
		return verdict
	}
	if why := machine.Fits(e.Device, machine.Group{Items: items, Registers: registers, Local: e.work.Group.Local, Subgroup: exec.WarpSize}); why != "" {
		return device.Refusal("%s", why)
	}
	if a := e.Job.Attributes; a != nil && a.Cooperative {
		if why := machine.Together(e.Device, e.work.Group, e.work.Groups); why != "" {
			return device.Refusal("%s", why)
		}
	}
	multiprocessors := e.Device.Int(facts.Multiprocessors)
	e.busy = min(e.work.Groups, multiprocessors)
	if e.most = (e.work.Groups + multiprocessors - 1) / multiprocessors; e.most <= e.resident {
		e.launch.AtOnce = e.work.Groups
	}
	return nil
}

func (e *emulation) warn(format string, args ...any) {
	e.warnings = append(e.warnings, fmt.Sprintf(format, args...))
}

// named is how many general registers the code names.
func named(f *sass.Function) (n int64) {
	for i := range f.Instructions {
		for _, list := range [][]sass.Register{f.Instructions[i].Defines(), f.Instructions[i].Uses()} {
			for _, r := range list {
				if r.File == sass.General {
					n = max(n, int64(r.Index)+1)
				}
			}
		}
	}
	return n
}
