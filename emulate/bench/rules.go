package bench

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/samples"
)

// Numbers are what measurements have told, by the keys of their identities.
type Numbers struct {
	told            map[string]float64 // by the identity of the measurement and the name of the number
	Clock           float64            // Hz
	Multiprocessors int64
	subPartitions   float64
	constants       float64         // bytes that the first cache of them holds
	atomicLine      float64         // of the sheet that says what is not measured
	asked           map[string]bool // the identities of those that were looked up, where that is followed
}

// seconds is the name of the number that is the time of a launch.
const seconds = "seconds"

// NumbersOf collects records, of a device with this fingerprint.
func NumbersOf(records []samples.Record, device samples.Fingerprint) *Numbers {
	n := &Numbers{told: map[string]float64{}, Clock: float64(device.ClockMHz) * 1e6, Multiprocessors: device.ComputeUnits}
	n.atomicLine = sheet(facts.Base(device.Name, device.Architecture)).Value(facts.AtomicLine)
	for _, r := range records {
		if r.Status != samples.OK {
			continue
		}
		n.told[numberKey(r.Kernel.Key(), seconds)] = r.Seconds()
		for name, v := range r.Metrics {
			n.told[numberKey(r.Kernel.Key(), name)] = v.Value
		}
	}
	n.subPartitions, _, _ = partitions(n)
	n.constants, _, _ = constantBytes(n)
	return n
}

func numberKey(identity, name string) string { return identity + " " + name }

// value is a number of a measurement; false where there is none. What varies is given by names and values in turn.
func (n *Numbers) value(number, name string, varies ...any) (float64, bool) {
	m := Measurement{Name: name, Varies: map[string]int64{}}
	for i := 0; i+1 < len(varies); i += 2 {
		m.Varies[varies[i].(string)] = varies[i+1].(int64)
	}
	if n.asked != nil {
		n.asked[m.Key()] = true
	}
	v, ok := n.told[numberKey(m.Key(), number)]
	return v, ok
}

// cycles are those of an operation by so many warps.
func (n *Numbers) cycles(name string, warps int64) (float64, bool) {
	return n.value("cycles", name, "warps", warps)
}

// slope is the time of an operation without the loop around it, from loops of two lengths.
func (n *Numbers) slope(name string, warps int64) (float64, bool) {
	short, ok := n.cycles(name, warps)
	long, found := n.cycles(name+"_long", warps)
	return (timesLong*long - times*short) / (timesLong - times), ok && found
}

// rule makes a fact of numbers, and says from which.
type rule struct {
	key    facts.Key
	of     func(n *Numbers) (value float64, from string, ok bool)
	cycles bool // the fact is a time
	plain  bool // it is not corrected: streams of DRAM show more on the emulator than this rate
	tried  bool // it is one of the numbers that were tried, and not corrected
}

// rules make facts.
var rules = append(constantRules, []rule{
	{facts.SubPartitions, partitions, false, false, false},
	{facts.ALULatency, latency("lop3", 1), true, false, false},
	{facts.ALUGap, gap("lop3", 1), true, false, false},
	{facts.FMALatency, latency("ffma", 1), true, false, false},
	{facts.FMAGap, gap("ffma", 1), true, false, false},
	{facts.IMADLatency, latency("imad", 1), true, false, false},
	{facts.IMADGap, gap("imad", 1), true, false, false},
	{facts.FP64Latency, latency("dfma", 1), true, false, false},
	{facts.FP64Gap, gap("dfma", 1), true, false, false},
	{facts.FP16Latency, latency("hfma2", 1), true, false, false},
	{facts.FP16Gap, gap("hfma2", 1), true, false, false},
	{facts.XULatency, latency("ex2", 1), true, false, false},
	{facts.XUGap, gap("ex2", 1), true, false, false},
	{facts.ConvertLatency, latency("f2d_d2f", 2), true, false, false},
	{facts.ConvertGap, gap("f2d_d2f", 2), true, false, false},
	{facts.ReduceLatency, latency("redux", 1), true, false, false},
	{facts.ReduceGap, gap("redux", 1), true, false, false},
	{facts.ShuffleLatency, latency("shfl", 1), true, false, false},
	{facts.VoteGap, gap("vote", 1), true, false, false},
	{facts.TensorLatency, inside("tensor", "HMMA.16816.F32", 1, "warps", int64(1)), true, false, false},
	{facts.TensorGap, tensorGap, true, false, false},
	{facts.SharedLatency, inside("shared_load", "LDS", 1, "stride", int64(4), "warps", int64(1)), true, false, false},
	{facts.SharedGap, inside("shared_load", "LDS by 32 sub-groups", 32, "stride", int64(4), "warps", int64(32)), true, false, false},
	{facts.SharedAtomicLatency, inside("shared_add", "ATOMS", 1, "stride", int64(4), "warps", int64(1)), true, false, false},
	{facts.SharedAtomicGap, meeting, true, false, false},
	{facts.AtomicLatency, inside("global_add", "ATOMG", 1, "stride", int64(0), "warps", int64(1)), true, false, false},
	{facts.AtomicGap, apart, true, false, false},
	{facts.AtomicSectors, atomicSectors("fetch", "ATOMG"), false, false, false},
	{facts.ReductionSectors, atomicSectors("add", "RED"), false, false, false},
	{facts.JumpLatency, jump, true, false, false},
	{facts.ConstantLatency, inside("constants", "LDC", 1, "stride", int64(0), "warps", int64(1)), true, false, false},
	{facts.BarrierLatency, barrier(false), true, false, false},
	{facts.BarrierGap, barrier(true), true, false, false},
	{facts.AddressGap, addresses, true, false, false},
	{facts.L2Latency, inside("chase_l2", "LDG that L2 serves, of 4 MB", 1, "bytes", int64(4<<20)), true, false, false},
	{facts.DRAMLatency, inside("chase_dram", "LDG, of 512 MB", 1), true, false, false},
	{facts.L2PortBytesPerClock, moved("load_l2", false), false, false, false},
	{facts.L2BytesPerClock, moved("load_l2", true), false, false, false},
	{facts.L2Sectors, sectors, false, false, false},
	{facts.L2StoreLines, storeLines, false, false, false},
	{facts.L2StoreRequest, storedPart(false), false, false, false},
	{facts.L2StoreSector, storedPart(true), false, false, false},
	{facts.L2StorePort, storePort, true, false, false},
	{facts.DRAMReadRate, stream2("read_dram", "reading"), false, true, false},
	{facts.DRAMWriteRate, stream2("write_dram", "writing"), false, true, false},
	{facts.GroupGap, groupGap, true, false, false},
	{facts.GroupStart, groupStart, true, false, false},
	{facts.CodeLatency, codeLatency, true, false, false},
	{facts.LaunchSeconds, launchSeconds, true, false, false},
}...)

// latency is the time of one operation of a chain, which has so many instructions.
func latency(name string, each float64) func(*Numbers) (float64, string, bool) {
	return func(n *Numbers) (float64, string, bool) {
		v, ok := n.slope("chain_"+name, 1)
		return v / each, fmt.Sprintf("chains of %d and %d %s by one sub-group, per instruction", times, timesLong, opcodes(name)), ok
	}
}

// streaming is how many warps show the rate of independent instructions. Those with a result in a uniform register wait for each other.
func (o *operation) streaming() int64 {
	if o.name == "redux" {
		return 32
	}
	return 8
}

// gap is the time between two instructions of a sub-partition.
func gap(name string, each float64) func(*Numbers) (float64, string, bool) {
	return func(n *Numbers) (float64, string, bool) {
		warps := operationOf(name).streaming()
		v, ok := n.slope("stream_"+name, warps)
		return v / each * n.subPartitions / float64(warps), fmt.Sprintf("independent %s by %d sub-groups, of a sub-partition", opcodes(name), warps), ok
	}
}

func opcodes(name string) string { return operationOf(name).holds }

// rounded takes what is as near to a quarter as clocks tell as that, and others to four digits.
func rounded(v float64) float64 {
	if q := math.Round(4*v) / 4; q > 0 && math.Abs(v-q) < 0.015*v && v < 1000 {
		return q
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-3)
	return math.Round(v/unit) * unit
}

// partitions are as many as the warps by which independent instructions take no longer than by one.
func partitions(n *Numbers) (float64, string, bool) {
	alone, ok := n.slope("stream_ffma", 1)
	most := int64(0)
	for _, warps := range []int64{1, 2, 3, 4, 5, 6, 8} {
		if v, found := n.slope("stream_ffma", warps); found && v < 1.25*alone {
			most = max(most, warps)
		}
	}
	return float64(most), "independent FFMA: so many sub-groups take no longer than one", ok && most > 0
}

// inside is the time of an instruction of a chain, by so many warps.
func inside(name, what string, warps float64, varies ...any) func(*Numbers) (float64, string, bool) {
	return func(n *Numbers) (float64, string, bool) {
		v, ok := n.value("cycles", name, varies...)
		return v / warps, "chains of " + what, ok
	}
}

// tensorGap is that of a product of 16x8x16.
func tensorGap(n *Numbers) (float64, string, bool) {
	v, ok := n.cycles("tensor", 32)
	return v * n.subPartitions / 32, "HMMA.16816.F32 by 32 sub-groups, of a sub-partition", ok
}

// jump is what a loop takes beside its chain.
func jump(n *Numbers) (float64, string, bool) {
	each, ok := n.slope("chain_ffma", 1)
	with, found := n.cycles("chain_ffma", 1)
	return times * (with - each), fmt.Sprintf("a loop around a chain of %d FFMA, beside the chain", times), ok && found
}

// meeting is the time for which each lane more waits that adds to the same word.
func meeting(n *Numbers) (float64, string, bool) {
	apart, ok := n.value("cycles", "shared_add", "stride", int64(4), "warps", int64(1))
	together, found := n.value("cycles", "shared_add", "stride", int64(0), "warps", int64(1))
	return (together - apart) / 31, "chains of ATOMS whose lanes meet at a word, but for those that do not", ok && found
}

// apart is the time of an atomic operation with a result on a sector, of a multiprocessor.
func apart(n *Numbers) (float64, string, bool) {
	v, ok := n.value("cycles", "fetch_apart", "groups", int64(1))
	return v / blockItems, "ATOMG of a multiprocessor, each lane in a line of its own", ok
}

// blockItems are the work-items of blocks that show rates of memory.
const blockItems = 1024

// atomicSectors are those of a clock of all multiprocessors: the mean of sub-groups that add to a line and to 32. Beside its sectors a line takes
// atomic_line; one of which a word is changed, an eighth of that.
func atomicSectors(what, opcode string) func(*Numbers) (float64, string, bool) {
	return func(n *Numbers) (float64, string, bool) {
		few, ok := n.value("cycles", what+"_lines", "groups", n.Multiprocessors)
		many, found := n.value("cycles", what+"_apart", "groups", n.Multiprocessors)
		all := float64(n.Multiprocessors) * blockItems
		return (all/32*(4+n.atomicLine)/few + all*(1+n.atomicLine/8)/many) / 2, opcode + " of all multiprocessors, sub-groups in a line and in 32", ok && found && few > 0 && many > 0
	}
}

// barrier is the time of one by one warp, or what each warp more adds.
func barrier(perWarp bool) func(*Numbers) (float64, string, bool) {
	return func(n *Numbers) (float64, string, bool) {
		few, ok := n.cycles("barriers", 1)
		many, found := n.cycles("barriers", 32)
		if perWarp {
			return (many - few) / 31, "BAR.SYNC of 32 sub-groups but for that of one", ok && found
		}
		return few, "BAR.SYNC of one sub-group", ok
	}
}

// addresses is the time between two loads of a sub-partition, from the time of more and more.
func addresses(n *Numbers) (float64, string, bool) {
	few, ok := n.value("cycles", "queue", "loads", int64(queued[0]))
	many, found := n.value("cycles", "queue", "loads", int64(queued[len(queued)-1]))
	return (many - few) / float64(queueing*(queued[len(queued)-1]-queued[0])), "LDS of sub-groups of one sub-partition, 16 but for 4 of each", ok && found
}

// moved are the bytes of a clock that one multiprocessor loads, or all.
func moved(name string, all bool) func(*Numbers) (float64, string, bool) {
	return func(n *Numbers) (float64, string, bool) {
		groups, what := int64(1), "a multiprocessor alone"
		if all {
			groups, what = n.Multiprocessors, "all multiprocessors"
		}
		v, ok := n.value("cycles", name, "groups", groups)
		const bytes = 16 * 1024 // of a block's instruction
		return bytes * float64(groups) / v, "loads that L2 serves, of " + what, ok && v > 0
	}
}

// lanesOfLine are the lanes whose words fill a line.
const lanesOfLine = 32

// storeLines are the whole lines of a clock that L2 takes of all multiprocessors.
func storeLines(n *Numbers) (float64, string, bool) {
	v, ok := n.value("cycles", "store_words", "groups", n.Multiprocessors)
	return blockItems / lanesOfLine * float64(n.Multiprocessors) / v, "STG of whole lines, of all multiprocessors", ok && v > 0
}

// storedPart is what a line takes that is not stored wholly, in whole lines: for itself, or for each sector.
func storedPart(sector bool) func(*Numbers) (float64, string, bool) {
	return func(n *Numbers) (float64, string, bool) {
		whole, ok := n.value("cycles", "store_words", "groups", n.Multiprocessors)
		one, found := n.value("cycles", "store_lines", "groups", n.Multiprocessors)
		four, also := n.value("cycles", "store_sectors", "groups", n.Multiprocessors)
		whole /= blockItems / lanesOfLine
		a, b := one/blockItems/whole, four/(blockItems/4)/whole
		v := (b - a) / 3
		if !sector {
			v = a - v
		}
		return v, "STG of a word to one and to four sectors of lines, of all multiprocessors, over whole lines", ok && found && also
	}
}

// storePort is the time between two sectors that a multiprocessor stores.
func storePort(n *Numbers) (float64, string, bool) {
	v, ok := n.value("cycles", "store_words", "groups", int64(1))
	return v / (blockItems / 8), "STG of whole lines, of a multiprocessor", ok
}

// sectors are those of a clock that L2 gives, each of another line.
func sectors(n *Numbers) (float64, string, bool) {
	v, ok := n.value("cycles", "walk_l2_apart", "warps", int64(64))
	return 64 * 32 * float64(n.Multiprocessors) / v, "LDG by all lanes at random in 16 MB, 64 sub-groups of each multiprocessor", ok && v > 0
}

// stream2 is the rate of a stream, from two sizes, in B/s.
func stream2(name, what string) func(*Numbers) (float64, string, bool) {
	return func(n *Numbers) (float64, string, bool) {
		few, ok := n.value(seconds, name, "megabytes", int64(512))
		many, found := n.value(seconds, name, "megabytes", int64(1024))
		return 512 << 20 / (many - few), what + " 1 GB, but for 512 MB", ok && found && many > few
	}
}

// groupGap is the time between the starts of two blocks that do nothing, of many.
func groupGap(n *Numbers) (float64, string, bool) {
	few, ok := n.value(seconds, "empty", "groups", int64(16384))
	many, found := n.value(seconds, "empty", "groups", int64(262144))
	return (many - few) * n.Clock / (262144 - 16384), "262144 empty work-groups but for 16384", ok && found
}

func groupStart(n *Numbers) (float64, string, bool) {
	v, ok := n.value("between", "blocks", "groups", 4*n.Multiprocessors)
	return v, "work-groups with a multiprocessor each: from the end of one to the start of the next", ok
}

// codeLatency is what a line of code takes longer the first time.
func codeLatency(n *Numbers) (float64, string, bool) {
	first, ok := n.value("pass_0", "code", "instructions", int64(1024), "warps", int64(1))
	again, found := n.value("pass_2", "code", "instructions", int64(1024), "warps", int64(1))
	const perLine = 8 // instructions of 16 B in a line of 128 B
	return (first - again) / 1024 * perLine, "1024 FFMA in a row: what a line of 128 B takes longer the first time", ok && found
}

func launchSeconds(n *Numbers) (float64, string, bool) {
	v, ok := n.value(seconds, "empty", "groups", int64(1))
	return v, "an empty work-group, by events", ok
}

// Fit makes facts of what was measured. Missing are the keys of rules that had not what they need.
func Fit(n *Numbers) (found map[facts.Key]facts.Fact, missing []facts.Key) {
	found = map[facts.Key]facts.Fact{}
	for _, r := range rules {
		v, from, ok := r.of(n)
		if !ok || !(v > 0) || math.IsInf(v, 0) {
			missing = append(missing, r.key)
			continue
		}
		found[r.key] = facts.Fact{Value: rounded(v), Source: prefix + from}
	}
	slices.Sort(missing)
	return found, missing
}

// prefix begins the sources of what is measured.
const prefix = "measured by perf calibrate --emulator: "

// sheet is what the sheet of a device or an architecture says.
func sheet(name string) *facts.Device {
	return facts.Of(samples.Fingerprint{Name: name, Architecture: name})
}
