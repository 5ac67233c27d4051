package advice

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/emulate"
	"gpuperf/emulate/timing"
	"gpuperf/internal/format"
	"gpuperf/sass"
)

// trial is what a rule says of a launch that its condition holds for.
type trial struct {
	because string  // what is the matter
	do      string  // what would help
	seconds float64 // of the launch with it; 0 where that cannot be emulated
	in      []bool  // the instructions with the defect; nil where none is
}

// found is a trial of what instructions do; of none where nobody can say which.
func found(because, do string, seconds float64, in []bool) *trial {
	return &trial{because, do, seconds, in}
}

// rule is a kind of advice. try returns nil where its condition does not hold.
type rule struct {
	name    string
	general bool // holds for any code that waits for something
	try     func(*study) *trial
}

var rules = []rule{
	{"few work-groups", false, moreGroups},
	{"small work-groups", false, groupSizes},
	{"occupancy", false, fewerRegisters},
	{"occupancy", false, lessShared},
	{"coalescing", false, coalescing},
	{"bank conflicts", false, bankConflicts},
	{"atomic operations", false, sharedContention},
	{"atomic operations", false, globalContention},
	{"divergence", false, divergence},
	{"arrays in private memory", false, spills},
	{"barriers", false, barriers},
	{"division", false, quotientsOfDoubles},
	{"division", false, quotientsOfIntegers},
	{"narrow accesses", false, widerAccesses},
	{"last wave", false, lastWave},
	{"results of a work-item", false, reuse},
	{"loads under way", true, underWay},
	{"independent work", true, independent},
	{"fewer instructions", true, fewerInstructions},
	{"traffic of DRAM", true, lessDRAM},
	{"work of a unit", true, lessWork},
}

func percent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// moreGroups: the grid does not fill the device, and the code takes any grid.
func moreGroups(s *study) *trial {
	all := s.groups()
	capacity := s.multiprocessors() * float64(s.room(func(*machine.Group) {}))
	if all >= capacity || !s.reads(gridSize[0]) {
		return nil
	}
	return found(
		fmt.Sprintf("the grid has %.0f work-groups, and the device room for %.0f at once", all, capacity), fmt.Sprintf("a grid of %.0f", capacity), s.launched(1, capacity/all), nil,
	)
}

// sizes of work-groups that are tried, of that which they have.
var sizes = []float64{2, 4, 8, 16, 0.5, 0.25, 0.125}

// groupSizes: other sizes of work-groups leave no multiprocessor idle, or let more sub-groups run; the code asks for the size and shares no memory.
func groupSizes(s *study) *trial {
	if !s.reads(groupSize[0]) || !s.numbered() || len(s.Input().Job.Local) == 0 || s.Input().Job.LocalMem+s.Input().Job.Dynamic+s.Input().Code.Shared > 0 {
		return nil
	}
	if _, barrier := s.pick(func(u *use) bool { return u.accesses && u.space == timing.SharedSpace }); barrier {
		return nil
	}
	best := &trial{seconds: math.Inf(1)}
	held, even := s.filled(1)
	for _, by := range sizes {
		n := float64(s.items()) * by
		if n < warpSize || n > 1024 {
			continue
		}
		if h, e := s.filled(by); h < held*better && e < even*better {
			continue
		}
		if t := s.launched(by, 1/by); t > 0 && t < best.seconds {
			best = found(fmt.Sprintf("multiprocessors hold %d work-groups of %d at once (limit: %s)", s.Blocks, s.items(), s.LimitedBy), fmt.Sprintf("work-groups of %.0f work-items", n), t, nil)
		}
	}
	if math.IsInf(best.seconds, 1) {
		return nil
	}
	return best
}

// better is from when on it is worth emulating that multiprocessors hold more work-items, or have more equal work.
const better = 1.02

// filled is how many work-items a multiprocessor holds at once if work-groups are so many times as large, and the part of the work-groups of the one with most that all have in the mean.
func (s *study) filled(by float64) (held, even float64) {
	size := float64(s.items()) * by
	each := s.groups() / by / s.multiprocessors()
	most := math.Ceil(each)
	room := float64(s.room(func(g *machine.Group) { g.Items = int64(size) }))
	return min(room, most) * size, each / most
}

// fewerRegisters: registers limit the work-groups.
func fewerRegisters(s *study) *trial {
	if s.LimitedBy != "registers" {
		return nil
	}
	now := s.registers()
	for fewer := now - 8; fewer >= 24; fewer -= 8 {
		n := s.room(func(g *machine.Group) { g.Registers = fewer })
		if n < 2*s.Blocks && (n <= s.Blocks || fewer > now*2/3) {
			continue
		}
		return found(
			fmt.Sprintf("registers limit a multiprocessor to %d work-groups", s.Blocks),
			fmt.Sprintf("%d registers instead of %d, as __launch_bounds__(%d, %d) asks for, or less to hold by each work-item,", fewer, now, s.items(), n),
			s.Again(emulate.Change{Resident: n}), nil,
		)
	}
	return nil
}

func (s *study) registers() (n int64) {
	s.room(func(g *machine.Group) { n = g.Registers })
	return n
}

// lessShared: shared memory limits the work-groups.
func lessShared(s *study) *trial {
	if s.LimitedBy != "local memory" {
		return nil
	}
	bytes := int64(0)
	n := s.room(func(g *machine.Group) { bytes, g.Local = g.Local, g.Local/2 })
	return found(
		fmt.Sprintf("%d bytes of shared memory limit a multiprocessor to %d work-groups", bytes, s.Blocks), "half of it for each work-group", s.Again(emulate.Change{Resident: n}), nil,
	)
}

// coalescing: accesses to global memory touch twice as many sectors as their bytes fill, or more.
func coalescing(s *study) *trial {
	in, some := s.pick(func(u *use) bool {
		return u.accesses && u.space == timing.GlobalSpace && !u.atomic && !u.one && u.sectors >= 2*u.enough && u.lanes > 4
	})
	if !some {
		return nil
	}
	u := s.worst(in)
	because := fmt.Sprintf("neighbouring lanes access places that are %d B apart", u.apart)
	if u.apart <= u.width { // some neighbours, as rows of a small work-group have them
		because = fmt.Sprintf("sub-groups access %.3g sectors of %d B at once, where %.3g would hold as much", u.sectors, sectorBytes, u.enough)
	}
	return found(because+" ("+s.lines(in)+")", "work-items next to each other that access elements next to each other", s.as(in, coalesced), in)
}

// bankConflicts: accesses to shared memory take twice as long as they need, or more.
func bankConflicts(s *study) *trial {
	in, some := s.pick(func(u *use) bool {
		return u.accesses && u.space == timing.SharedSpace && !u.atomic && u.waves >= 2*u.fewest
	})
	if !some {
		return nil
	}
	return found("lanes access the same bank of shared memory ("+s.lines(in)+")", "rows with padding, such as [32][33]", s.as(in, apart), in)
}

func sharedContention(s *study) *trial {
	in, some := s.pick(func(u *use) bool { return u.atomic && u.space == timing.SharedSpace && u.conflicts >= 2 })
	if !some {
		return nil
	}
	return found(
		"lanes meet at the same counters of shared memory ("+s.lines(in)+")", "a copy of the counters for each lane or sub-group, or a sum in registers first,", s.as(in, apart), in,
	)
}

// globalContention: atomic operations meet at few places of global memory. Emulation knows of those that meet within a sub-group.
func globalContention(s *study) *trial {
	in, some := s.pick(func(u *use) bool { return u.atomic && u.space == timing.GlobalSpace })
	if !some || s.each < 16 {
		return nil
	}
	t := &trial{
		in: in, because: fmt.Sprintf("atomic operations meet at the same places of global memory, about %s times each (%s)", format.Rough(s.each, ""), s.lines(in)),
		do: "counting in shared memory first, and adding that once for each work-group,", seconds: s.as(in, near),
	}
	if left := s.groups() / s.each; left < 1 { // work-groups still meet there
		t.seconds = max(t.seconds, s.Seconds*left)
	}
	if s.Seconds < t.seconds*worth {
		t.seconds = 0
	}
	return t
}

// divergence: instructions are executed for part of the lanes, and those of the others too.
func divergence(s *study) *trial {
	in, some := s.pick(func(u *use) bool { return u.lanes > 0 && u.lanes < 0.8*warpSize })
	part := 0.0
	for i := range in {
		if s.named(i, "BAR") || s.named(i, "EXIT") || s.ops[i].atomic { // an atomic operation is done for all that have a part in it
			in[i] = false
		}
		if in[i] {
			part += s.spent[i]
		}
	}
	if !some || part < 0.1 {
		return nil
	}
	return found(
		fmt.Sprintf("%s of the time of sub-groups passes where part of the lanes take part (%s)", percent(part), s.lines(in)), "work-items of one sub-group that do the same", s.together(in), in,
	)
}

// spills: registers are kept in memory.
func spills(s *study) *trial {
	in, some := s.pick(func(u *use) bool { return u.accesses && u.space == timing.LocalSpace })
	if !some {
		return nil
	}
	return found(
		"values are kept in local memory ("+s.lines(in)+")", "more registers for each work-item, less to hold at once, or indices that the compiler knows", s.without(in), in,
	)
}

func barriers(s *study) *trial {
	if s.waits[timing.ForBarrier]+s.depends(emulate.Throughput, timing.Barrier) < 0.1 {
		return nil
	}
	all, fewer, n := make([]bool, len(s.ops)), make([]bool, len(s.ops)), 0
	for i := range all {
		if s.named(i, "BAR") {
			all[i], fewer[i] = true, n%4 != 0
			n++
		}
	}
	return found(
		fmt.Sprintf("sub-groups wait %s of their time for others at barriers (%s)", percent(s.waits[timing.ForBarrier]), s.lines(all)),
		"exchange within sub-groups, by shuffles, and one barrier where there are four", s.without(fewer), all,
	)
}

// quotientsOfDoubles: each quotient of float64 takes about ten instructions.
func quotientsOfDoubles(s *study) *trial {
	in, some := s.after(func(i int) bool { return s.named(i, "MUFU", "RCP64H") }, 0, 8, "DFMA", "DMUL")
	if !some {
		return nil
	}
	return found("quotients of float64 take many instructions ("+s.lines(in)+")", "products with the reciprocal, taken once,", s.without(in), in)
}

// quotientsOfIntegers: by a number that the compiler does not know.
func quotientsOfIntegers(s *study) *trial {
	in, some := s.after(func(i int) bool { return s.named(i, "F2I", "U32", "TRUNC") }, 2, 12, "IMAD", "ISETP", "IADD3", "VIADD", "IABS", "LOP3", "SEL")
	if !some {
		return nil
	}
	for i := range in {
		in[i] = in[i] || s.named(i, "MUFU", "RCP") || s.named(i, "I2F")
	}
	return found(
		"quotients and remainders of integers take many instructions ("+s.lines(in)+")", "divisors that the compiler knows, powers of two, or indices that go on by additions",
		s.without(in), in,
	)
}

// after picks the instructions that begin an operation, and of those with some names that depend on their results a number, the first aside.
func (s *study) after(begins func(i int) bool, first, most int, names ...string) (in []bool, some bool) {
	const follow = 80 // instructions: about those of an iteration of a long loop
	in = make([]bool, len(s.ops))
	for i := range in {
		if !begins(i) {
			continue
		}
		in[i], some = true, true
		data, n := map[sass.Register]bool{}, 0
		for k := i; k < min(i+follow, len(in)) && n < first+most; k++ {
			one := &s.code.Instructions[k]
			if k > i && !slices.ContainsFunc(one.Uses(), func(r sass.Register) bool { return data[r] }) {
				continue
			}
			for _, r := range one.Defines() {
				data[r] = true
			}
			if slices.Contains(names, one.Name) {
				if n++; n > first {
					in[k] = true
				}
			}
		}
	}
	return in, some
}

// widerAccesses: loads and stores side by side move less than 4 B for each work-item.
func widerAccesses(s *study) *trial {
	narrow := func(u *use) bool {
		return u.accesses && u.space == timing.GlobalSpace && !u.atomic && !u.one && u.sectors < 2*u.enough && u.width < 4
	}
	in, some := s.pick(narrow)
	moving := s.depends(emulate.Throughput, timing.Dispatch, timing.Address, timing.L1, timing.L2, timing.Shared)
	if !some || s.Waves < 1 || moving < 0.1 {
		return nil
	}
	const by = 4 // elements: 16 B of 4 B each, the widest access
	w := s.wider(by)
	return found(fmt.Sprintf("each work-item moves little at once (%s)", s.lines(in)), fmt.Sprintf("%d elements by each work-item, in one access,", by), w.coarsened(), in)
}

// lastWave: few work-groups are left for the last wave.
func lastWave(s *study) *trial {
	whole := math.Floor(s.Waves)
	if whole < 1 || whole > 8 || s.Waves-whole < 0.01 || s.Waves-whole > 0.6 {
		return nil
	}
	t := s.Again(emulate.Change{Groups: whole / s.Waves}) * s.Waves / whole
	return found(fmt.Sprintf("%.2f waves of work-groups: the last one is nearly empty", s.Waves), "as much work in whole waves, by work-groups of another size,", t, nil)
}

// reuse: what is loaded again comes from the first-level cache or from shared memory, which are busy with it.
func reuse(s *study) *trial {
	far := 0.0
	in, some := s.pick(func(u *use) bool {
		if !u.accesses || u.store || u.atomic || u.space != timing.GlobalSpace && u.space != timing.SharedSpace || u.sectors >= 2*u.enough && u.waves > u.fewest {
			return false
		}
		if u.space == timing.GlobalSpace {
			far += u.times * u.sectors
		}
		return true
	})
	near := 0.0
	for i := range s.ops {
		if u := &s.ops[i]; in[i] && u.space == timing.SharedSpace {
			near += u.times * u.sectors
		}
	}
	again := (near + far*s.Memory.L1Hit) / max(near+far, 1)
	if !some || again < 0.4 || s.depends(emulate.Throughput, timing.Shared, timing.Address, timing.L1, timing.L2)+s.depends(emulate.Latency, timing.L1) < 0.2 {
		return nil
	}
	return found(
		fmt.Sprintf("%s of the loads are of what was loaded before (%s)", percent(again), s.lines(in)),
		"several neighbouring results by each work-item, which use each loaded element from a register twice,",
		s.Again(emulate.Change{In: in, Machine: func(m *timing.Machine) {
			for _, u := range []timing.Unit{timing.Dispatch, timing.Address, timing.Shared, timing.L1} {
				m.Units[u].Gap /= 2
			}
		}}), in,
	)
}

// underWay: warps wait for the latency of memory.
func underWay(s *study) *trial {
	part := s.depends(emulate.Latency, timing.L1, timing.L2, timing.DRAM, timing.Shared)
	if part < 0.15 {
		return nil
	}
	return s.more(fmt.Sprintf("the time depends on latencies of memory by %s", percent(part)), "more loads under way")
}

// independent: warps wait for results of arithmetic.
func independent(s *study) *trial {
	part := s.depends(emulate.Latency, timing.ALU, timing.FMA, timing.IMAD, timing.FP64, timing.FP16, timing.XU, timing.Convert, timing.Tensor, timing.Shuffle)
	if part < 0.15 {
		return nil
	}
	return s.more(fmt.Sprintf("the time depends on latencies of arithmetic by %s", percent(part)), "independent work between")
}

// more tries several iterations or results at once.
func (s *study) more(because, do string) *trial {
	best := &trial{because: because, do: do}
	for _, by := range []int{2, 4} {
		w := s.wider(by)
		for _, way := range []struct {
			text string
			time func() float64
		}{{"iterations at once, each with sums of its own,", w.unrolled}, {"results by each work-item", w.coarsened}} {
			if t := way.time(); t > 0 && (best.seconds == 0 || t < best.seconds*0.97) {
				best.do, best.seconds = fmt.Sprintf("%s: %d %s", do, by, way.text), t
			}
		}
	}
	return best
}

// fewerInstructions: the time depends on how often instructions are dispatched.
func fewerInstructions(s *study) *trial {
	part := s.depends(emulate.Throughput, timing.Dispatch)
	if part < 0.2 {
		return nil
	}
	return s.more(fmt.Sprintf("sub-groups issue instructions all the time: the time depends on that by %s", percent(part)), "addresses and conditions computed once for several results")
}

// lessDRAM: DRAM moves what the second-level cache has no room for.
func lessDRAM(s *study) *trial {
	in, some := s.pick(func(u *use) bool { return u.accesses && u.space == timing.GlobalSpace })
	part := s.depends(emulate.Throughput, timing.DRAM)
	if !some || part < 0.3 {
		return nil
	}
	return found(fmt.Sprintf("DRAM is busy: the time depends on it by %s", percent(part)), "data that stays in the second-level cache between uses, or elements of fewer bytes,", s.as(in, cached), in)
}

// lessWork: a unit is busy.
func lessWork(s *study) *trial {
	for _, p := range s.Sensitivity {
		if p.Kind != emulate.Throughput || p.Unit == timing.DRAM || p.Unit == timing.Dispatch || p.Value < 0.3 {
			continue
		}
		return found(
			fmt.Sprintf("%s is busy: the time depends on it by %s", p.Unit, percent(p.Value)), "half of the work that it does",
			s.Again(emulate.Change{Machine: func(m *timing.Machine) { m.Units[p.Unit].Gap /= 2 }}), nil,
		)
	}
	return nil
}
