// Package facts knows numbers of devices: limits, caches and rates, each with its source.
//
// The numbers are data (facts.yaml, in the format of schema.json). Of returns what is known of the device with a
// fingerprint: its data sheet, what all devices of its architecture share, and what the driver tells. Named returns a data sheet by
// name. What none of them has is not known, and Need says so in an error; nothing is guessed. Typical fills gaps with orders of
// magnitude where a rough number will do, such as for choosing sizes to measure.
package facts

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"gpuperf/internal/lists"
	"gpuperf/samples"
)

// Key names a fact, as facts.yaml does.
type Key string

// The facts. Rates and sizes "of a multiprocessor" are for one of them; sizes are in bytes, registers have 32 bits.
const (
	Multiprocessors      Key = "multiprocessors" // OpenCL's compute units
	ClockMHz             Key = "clock_mhz"
	SubgroupSize         Key = "subgroup_size"           // work-items that execute together
	Items                Key = "items"                   // work-items that a multiprocessor holds at once
	Groups               Key = "groups"                  // work-groups that a multiprocessor holds at once
	LocalBytes           Key = "local_bytes"             // local memory of a multiprocessor
	LocalReserved        Key = "local_reserved"          // local memory that every work-group takes beside its own
	Registers            Key = "registers"               // of a multiprocessor
	RegistersPerItem     Key = "registers_per_item"      // at most
	RegistersPerGroup    Key = "registers_per_group"     // at most
	RegisterUnit         Key = "register_unit"           // registers that a sub-group is given at once
	LocalUnit            Key = "local_unit"              // local memory that a work-group is given at once
	LocalPerGroup        Key = "local_per_group"         // local memory of a work-group, at most
	DeclaredLocal        Key = "declared_local"          // the part of it that a source may declare; a launch asks for more
	ItemsPerGroup        Key = "items_per_group"         // work-items of a work-group, at most
	GroupX               Key = "group_x"                 // work-items of a work-group along axis 0, at most
	GroupY               Key = "group_y"                 // along axis 1
	GroupZ               Key = "group_z"                 // along axis 2
	GroupsX              Key = "groups_x"                // work-groups of a launch along axis 0, at most
	GroupsY              Key = "groups_y"                // along axis 1
	GroupsZ              Key = "groups_z"                // along axis 2
	L1Bytes              Key = "l1_bytes"                // of a multiprocessor; of a CPU, all caches that a core does not share
	L2Bytes              Key = "l2_bytes"                // of the device
	L1Carveouts          Key = "l1_carveouts"            // bytes of L1 that may be local memory, from few to many: values
	L1LeastLocal         Key = "l1_least_local"          // bytes of L1 that are local memory at least
	L1LeastLocalUsed     Key = "l1_least_local_used"     // the same for kernels that use local memory
	L2CleanKept          Key = "l2_clean_kept"           // what may come before L2 begins to drop data that is as in DRAM; in parts of l2_bytes, as all below
	L2CleanLost          Key = "l2_clean_lost"           // what comes before L2 has dropped all of it
	L2DirtyKept          Key = "l2_dirty_kept"           // l2_clean_kept of data that is not yet written to DRAM
	L2DirtyLost          Key = "l2_dirty_lost"           // l2_clean_lost of such data
	L2FirstDirtyKept     Key = "l2_first_dirty_kept"     // l2_dirty_kept of a launch that began when L2 was empty
	L2DirtyMost          Key = "l2_dirty_most"           // that L2 uses for such data
	L2DirtyRoom          Key = "l2_dirty_room"           // that such data takes, by its size
	L2UnwrittenLost      Key = "l2_unwritten_lost"       // what others load before L2 has written all such data, evenly less from the first on
	L2Spared             Key = "l2_spared"               // of what a launch leaves unwritten, what it is spared itself
	L2OpenKept           Key = "l2_open_kept"            // the part of its size that lines take which are stored to in part at once, up to which none is lost before the next store
	L2OpenLost           Key = "l2_open_lost"            // the same, from which on each is lost
	L2PartlyLost         Key = "l2_partly_lost"          // of such data in sectors that are stored in part, what is kept less
	L2PrivateKept        Key = "l2_private_kept"         // up to how much private memory of work-items that run at once L2 keeps all of it, in parts of its size
	L2PrivateLost        Key = "l2_private_lost"         // from how much on it keeps nothing
	L2SharedRoom         Key = "l2_shared_room"          // that data takes more where many multiprocessors read it, by its size
	LineBytes            Key = "line_bytes"              // of a cache line
	SectorBytes          Key = "sector_bytes"            // the smallest transfer from global memory
	Banks                Key = "banks"                   // of local memory
	BankBytes            Key = "bank_bytes"              // of a word in a bank
	LocalBytesPerClock   Key = "local_bytes_per_clock"   // of a multiprocessor, without bank conflicts
	Float32MaddsPerClock Key = "float32_madds_per_clock" // of a multiprocessor
	Float64MaddsPerClock Key = "float64_madds_per_clock" // of a multiprocessor
	Float32FLOPs         Key = "float32_flops"           // per second, as the vendor rounds them, for comparison
	Float64FLOPs         Key = "float64_flops"           // per second, as the vendor rounds them, for comparison
	MemoryBandwidth      Key = "memory_bandwidth"        // of global memory, B/s
	GlobalBytes          Key = "global_bytes"            // global memory
	LaunchSeconds        Key = "launch_seconds"          // of a kernel that does nothing
	GroupSeconds         Key = "group_seconds"           // of a work-group that does nothing, the device being full of them
	LoadSeconds          Key = "load_seconds"            // between two loads of a work-item that depend on each other
	FunctionLatency      Key = "function_latency"        // of a division or a function, in additions
	LocalLatency         Key = "local_latency"           // of a load from local memory, in additions
	GlobalLatency        Key = "global_latency"          // of a load from global memory, in additions

	// What the emulator of machine code needs. Latencies and gaps are in cycles of a multiprocessor.
	SubPartitions       Key = "sub_partitions"   // of a multiprocessor, each with a scheduler
	DispatchGap         Key = "dispatch_gap"     // between two instructions of a sub-partition; gaps and latencies are in cycles
	ALULatency          Key = "alu_latency"      // of integer and logic instructions, until a dependent one
	GuardLatency        Key = "guard_latency"    // of integer and logic instructions, until one that their predicate guards
	CrossingLatency     Key = "crossing_latency" // of a result of these or of products, until another pipe has it, beside the latency
	ALUGap              Key = "alu_gap"          // between two of a sub-partition
	FMALatency          Key = "fma_latency"      // of single precision
	FMAGap              Key = "fma_gap"
	IMADLatency         Key = "imad_latency" // of products of integers
	IMADGap             Key = "imad_gap"
	FP64Latency         Key = "fp64_latency" // of double precision
	FP64Gap             Key = "fp64_gap"
	FP16Latency         Key = "fp16_latency" // of half precision
	FP16Gap             Key = "fp16_gap"
	XULatency           Key = "xu_latency" // of transcendental functions and conversions
	XUGap               Key = "xu_gap"
	ConvertLatency      Key = "convert_latency" // of conversions from and to double precision
	ConvertGap          Key = "convert_gap"
	TensorSlowdown      Key = "tensor_slowdown" // by which part the clock is lower while tensor instructions are always executed
	TensorLatency       Key = "tensor_latency"  // of a matrix product of 16x8x16 halves
	TensorGap           Key = "tensor_gap"
	HalfTensorLatency   Key = "half_tensor_latency" // of one of 16x8x8 halves
	HalfTensorGap       Key = "half_tensor_gap"
	DoubleTensorLatency Key = "double_tensor_latency" // of one of 8x8x4 numbers of float64
	DoubleTensorGap     Key = "double_tensor_gap"
	WideLatency         Key = "wide_tensor_latency"  // from the last 8 columns of a matrix product of four sub-groups to the result
	WideGap             Key = "wide_tensor_gap"      // of 8 columns of a matrix product of four sub-groups, 64 rows by rows of 32 B
	WideDispatch        Key = "wide_tensor_dispatch" // between two other instructions of a sub-partition while such products are under way in it
	UniformLatency      Key = "uniform_latency"      // of instructions that are executed once per sub-group
	UniformGap          Key = "uniform_gap"
	BranchGap           Key = "branch_gap"     // of jumps
	VoteGap             Key = "vote_gap"       // of votes
	ReduceLatency       Key = "reduce_latency" // of REDUX
	ReduceGap           Key = "reduce_gap"
	AddressGap          Key = "address_gap"             // of memory instructions of a sub-partition
	RequestQueue        Key = "request_queue"           // requests of a multiprocessor that wait for the second-level cache to take them, and others for the data path
	LoadQueue           Key = "load_queue"              // loads from global memory that wait for the data path
	AddressQueue        Key = "address_queue"           // memory instructions of a sub-partition that wait
	BarrierLatency      Key = "barrier_latency"         // of a barrier, from its last sub-group
	BarrierGap          Key = "barrier_gap"             // between two sub-groups that come to barriers of a multiprocessor
	SharedLatency       Key = "shared_latency"          // of a load from shared memory
	SharedGap           Key = "shared_gap"              // of a wavefront: 128 B of a multiprocessor
	SharedAtomicLatency Key = "shared_atomic_latency"   // of an atomic operation on shared memory
	SharedSwapCycles    Key = "shared_swap_cycles"      // from one update to the next, of lanes of several sub-groups that compare and swap at one place
	SharedAtomicGap     Key = "shared_atomic_gap"       // of two lanes that meet at an address
	ShuffleLatency      Key = "shuffle_latency"         // of SHFL
	L1Latency           Key = "l1_latency"              // of a load that the first-level cache serves
	L2Latency           Key = "l2_latency"              // of a load that the second-level cache serves
	L2BytesPerClock     Key = "l2_bytes_per_clock"      // of all multiprocessors
	L2PortBytesPerClock Key = "l2_port_bytes_per_clock" // of a multiprocessor
	L2Sectors           Key = "l2_sectors"              // of different lines, that the second-level cache gives in a cycle
	L2StoreRequest      Key = "l2_store_request"        // what a line takes that is not stored wholly, in lines that are
	L2StoreSector       Key = "l2_store_sector"         // what each of its sectors takes
	L2StoreAgain        Key = "l2_store_again"          // what a sector takes that is lost before the next store to it, in fills
	L2StoreUpdate       Key = "l2_store_update"         // what a sector takes besides that its work-group has loaded, in lines
	L2StoreFill         Key = "l2_store_fill"           // what a sector takes besides that is stored in part and goes to DRAM
	L2StorePort         Key = "l2_store_port"           // cycles between two sectors that a multiprocessor stores
	L2Merged            Key = "l2_merged"               // of what blocks load alike, the part that the second-level cache serves together
	L2StoreLines        Key = "l2_store_lines"          // lines of stores that the second-level cache takes in a cycle
	DRAMQueue           Key = "dram_queue"              // cycles that a load waits in DRAM, times what this is busy over what it is idle
	DRAMTurn            Key = "dram_turn"               // cycles that it waits besides where as much is written as is read, times what DRAM is busy
	DRAMMixed           Key = "dram_mixed"              // what the lesser of reads and writes takes longer, by its time
	DRAMLatency         Key = "dram_latency"            // of a load that DRAM serves
	DRAMReadRate        Key = "dram_read_rate"          // B/s that DRAM is read at
	DRAMWriteRate       Key = "dram_write_rate"         // B/s that DRAM is written at
	DRAMPageSeconds     Key = "dram_page_seconds"       // for which DRAM turns to another place of 1 KB
	AtomicLatency       Key = "atomic_latency"          // of an atomic operation on global memory
	AtomicGap           Key = "atomic_gap"              // of two sectors of a multiprocessor, with a result
	PlaceFloat          Key = "place_float"             // the same, of sums of floating-point numbers
	GridGap             Key = "grid_gap"                // cycles by which each work-group makes a barrier of all work-groups of a launch longer
	PlaceGap            Key = "place_gap"               // cycles between two atomic operations of the device on one word of global memory
	L2SliceBytes        Key = "l2_slice_bytes"          // that each of them can give in a cycle
	SliceGap            Key = "slice_gap"               // cycles between two sectors of atomic operations of the device in one part of the second-level cache
	L2Slices            Key = "l2_slices"               // parts of the second-level cache that work for themselves, among which lines are spread
	AtomicSectors       Key = "atomic_sectors"          // of atomic operations with a result that the second-level cache does in a cycle
	ReductionSectors    Key = "reduction_sectors"       // of those without a result
	AtomicScattered     Key = "atomic_scattered"        // by how much longer atomic operations of lanes take that lie in lines apart by chance, as these meet in parts of the cache
	AtomicLine          Key = "atomic_line"             // what a line takes that they change, besides its sectors, in sectors; less where less than a sector is changed
	FenceLatency        Key = "fence_latency"           // of a fence of memory for the whole device
	FenceGap            Key = "fence_gap"               // of two fences of a multiprocessor, and of one and its atomic operations
	ConstantGap         Key = "constant_gap"            // of two addresses that lanes of sub-groups ask for
	ConstantAddress     Key = "constant_address"        // by which each further address that lanes of a sub-group ask for comes later
	ConstantLatency     Key = "constant_latency"        // of constants by address
	ConstantBytes       Key = "constant_bytes"          // of the cache of constants of a multiprocessor
	ConstantLine        Key = "constant_line"           // bytes of a line there
	ConstantWays        Key = "constant_ways"           // lines of a set there, of which a new one takes the place of any
	ConstantFarLatency  Key = "constant_far_latency"    // by which constants come later that it lacks
	ConstantFarGap      Key = "constant_far_gap"        // of two lines that it lacks
	ConstantSecondGap   Key = "constant_second_gap"     // cycles between two lines of the second cache of constants, which multiprocessors share, for each that is busy
	ConstantSecondLine  Key = "constant_second_line"    // bytes of its lines
	ConstantShared      Key = "constant_second_shared"  // multiprocessors that may ask for the same line there while it is on its way to another one, for each that is busy
	ConstantFirst       Key = "constant_first_latency"  // by which the first constants of each of its lines come later in a launch
	ConstantScattered   Key = "constant_scattered"      // cycles that it takes longer for an address of several that lanes ask for, whose line it lacks
	UniformConstants    Key = "uniform_constants"       // pieces of 16 B of a sub-partition's cache of constants that a sub-group wants once
	UniformFarLatency   Key = "uniform_far_latency"     // by which such constants come later that it lacks
	UniformFarGap       Key = "uniform_far_gap"         // of two lines that it lacks, for each multiprocessor that is busy
	SpecialLatency      Key = "special_latency"         // of special registers
	JumpLatency         Key = "jump_latency"            // from a jump to the instruction that it goes to
	CopyGap             Key = "copy_gap"                // of a copy of lanes to shared memory, for each cycle of the data path
	BulkLatency         Key = "bulk_latency"            // of a bulk copy, until it asks for its first line
	BulkGap             Key = "bulk_gap"                // of a line of a bulk copy
	GroupGap            Key = "group_gap"               // cycles between the starts of two work-groups of the device
	GroupStart          Key = "group_start"             // cycles between the end of a work-group and the start of the next one in its place
	OperandWindow       Key = "operand_window"          // cycles in which an instruction reads its registers, of two banks
	CodeLine            Key = "code_line"               // bytes of code that are fetched together
	CodeBytes           Key = "code_bytes"              // of the cache of instructions that gives one a cycle
	CodeSecondBytes     Key = "code_second_bytes"       // of the one behind it
	CodeSecondLatency   Key = "code_second_latency"     // of a line there that is jumped to
	CodeSecondGap       Key = "code_second_gap"         // of lines there that follow each other
	CodeFarLatency      Key = "code_far_latency"        // of lines that come from the second-level cache again
	CodeFarGap          Key = "code_far_gap"
	CodeGap             Key = "code_gap"          // cycles between two such lines, one after the other
	CodeLatency         Key = "code_latency"      // of code that no cache of the multiprocessor has
	StartCycles         Key = "start_cycles"      // before the first instruction of a launch and after the last
	UnrecordedCycles    Key = "unrecorded_cycles" // of these, what the driver's records of kernels in applications leave out of launches of few work-groups
	UnrecordedFull      Key = "unrecorded_full"   // cycles that they leave out of launches that fill the device

	// What the compiler for a device makes of code.
	UnrollWholly        Key = "unroll_wholly"         // instructions of all iterations of a loop of a constant number of them that a compiler unrolls wholly
	UnrollTwice         Key = "unroll_twice"          // instructions of a body that is unrolled by unroll_by and that again, where the counter takes consecutive values and its end is no quotient
	UnrollOnce          Key = "unroll_once"           // instructions of a body that is unrolled by unroll_by
	UnrollBy            Key = "unroll_by"             // iterations that are unrolled
	UnrollStraight      Key = "unroll_straight"       // accesses and operations that a loop unrolls to without being told to
	LoadsAhead          Key = "loads_ahead"           // words of 32 bits that a work-item has in flight
	RareCode            Key = "rare_code"             // instructions of a subroutine for rare cases
	RareCalls           Key = "rare_calls"            // instructions of flow outside of loops where there is one
	SelectChain         Key = "select_chain"          // dependent integer instructions of a select; as those below, what a result waits for
	ExtremeChain        Key = "extreme_chain"         // dependent additions of float64 of a minimum or maximum
	DivideChain         Key = "divide_chain"          // dependent additions of float32 of a division
	DoubleDivideChain   Key = "double_divide_chain"   // of float64 of one of float64
	IntegerDivideChain  Key = "integer_divide_chain"  // dependent products of a quotient of integers
	RootChain           Key = "root_chain"            // dependent additions of float32 of a square root
	DoubleRootChain     Key = "double_root_chain"     // of float64 of one of float64
	FunctionChain       Key = "function_chain"        // of float32 of another function
	DoubleFunctionChain Key = "double_function_chain" // of float64 of one of float64
	PowerChain          Key = "power_chain"           // of float32 of a power
	PeriodicChain       Key = "periodic_chain"        // of float32 of a sine
)

// Fact is a number with its source, or several that a device can be set to, in rising order. The zero Fact is not known.
type Fact struct {
	Value  float64
	Values []float64
	Source string
}

// Device is what is known of a device. It does not change; of a nil Device nothing is known.
type Device struct {
	Names        []string // as drivers report them
	Architecture string   // that code is for, such as sm_90; "" where that is not known
	kind         string   // of typical devices: gpu, cpu
	facts        map[Key]Fact
	stated       *stated // nil where no file states any
}

// Fact returns a fact; false where it is not known.
func (d *Device) Fact(k Key) (Fact, bool) {
	if d == nil {
		return Fact{}, false
	}
	d.stated.note(k)
	f, ok := d.facts[k]
	return f, ok
}

// Value returns the number of a fact, 0 where it is not known.
func (d *Device) Value(k Key) float64 {
	f, _ := d.Fact(k)
	return f.Value
}

// Rough returns the number of a fact, or its order of magnitude where it is not known, as Typical says it.
func (d *Device) Rough(k Key) float64 {
	if f, ok := d.Fact(k); ok {
		return f.Value
	}
	kind := "gpu"
	if d.CPU() {
		kind = "cpu"
	}
	return find(sheets().Typical, kind).Facts[k].Value
}

// Int returns the number of a fact as an integer, 0 where it is not known.
func (d *Device) Int(k Key) int64 { return int64(d.Value(k)) }

// Values are the numbers of a fact that has several, none where it is not known.
func (d *Device) Values(k Key) []float64 {
	f, _ := d.Fact(k)
	return f.Values
}

// CPU reports whether the device is known to be a CPU.
func (d *Device) CPU() bool { return d != nil && d.kind == "cpu" }

// Known reports whether all these facts are known.
func (d *Device) Known(keys ...Key) bool {
	return !slices.ContainsFunc(keys, func(k Key) bool { _, ok := d.Fact(k); return !ok })
}

// Need returns an *Unknown where one of the facts is not known.
func (d *Device) Need(keys ...Key) error {
	missing := lists.Where(keys, func(k Key) bool { return !d.Known(k) })
	if missing == nil {
		return nil
	}
	return &Unknown{Device: d.Name(), Keys: missing}
}

// Name is the first of the device's names, "" for none.
func (d *Device) Name() string {
	if d == nil || len(d.Names) == 0 {
		return ""
	}
	return d.Names[0]
}

// With returns the device with another fact.
func (d *Device) With(k Key, value float64, source string) *Device {
	out := &Device{facts: map[Key]Fact{}}
	if d != nil {
		*out = *d
		out.facts = maps.Clone(d.facts)
	}
	out.facts[k] = Fact{Value: value, Source: source}
	return out
}

// Unknown is the error of asking for facts that neither a data sheet nor the device tells.
type Unknown struct {
	Device string // "" where none is named
	Keys   []Key
}

func (u *Unknown) Error() string {
	const most = 12 // that are named
	list := lists.Join(u.Keys[:min(len(u.Keys), most)], ", ", func(k Key) string { return string(k) })
	if n := len(u.Keys) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	if u.Device == "" {
		return "no device is named that would tell " + list
	}
	return fmt.Sprintf("%s of device %q: not known, neither from the device nor from a data sheet", list, u.Device)
}

//go:embed facts.yaml
var table []byte

// file is a file of data sheets, in the format of schema.json. The facts of a device include those of its architecture.
type file struct {
	Version                         int
	Architectures, Devices, Typical []*sheet
}

type sheet struct {
	Names        []string
	Architecture string
	Facts        map[Key]Fact
}

// sheets reads the embedded data sheets, whose format a test has checked.
var sheets = sync.OnceValue(func() *file {
	f := &file{}
	if err := yaml.UnmarshalWithOptions(table, f, yaml.Strict()); err != nil {
		panic(err)
	}
	for _, d := range f.Devices {
		known := maps.Clone(find(f.Architectures, d.Architecture).Facts)
		maps.Copy(known, d.Facts)
		d.Facts = known
	}
	return f
})

// find returns the data sheet of that name, an empty one where there is none.
func find(list []*sheet, name string) *sheet {
	if i := slices.IndexFunc(list, func(s *sheet) bool { return slices.Contains(s.Names, name) }); i >= 0 {
		return list[i]
	}
	return &sheet{}
}

// Of returns what is known of the device with this fingerprint. A data sheet counts for the device of its name and number of
// multiprocessors; other devices have the facts of their architecture, and what the fingerprint tells.
func Of(f samples.Fingerprint) *Device {
	d := &Device{Names: []string{f.Name}, Architecture: f.Architecture, kind: f.Type, facts: map[Key]Fact{}}
	for _, t := range append(caches(f), []told{
		{Multiprocessors, f.ComputeUnits, "CL_DEVICE_MAX_COMPUTE_UNITS of the device"},
		{ClockMHz, f.ClockMHz, "CL_DEVICE_MAX_CLOCK_FREQUENCY of the device"},
		{SubgroupSize, f.SubgroupSize, f.SubgroupSource},
		{GlobalBytes, f.GlobalMem, "CL_DEVICE_GLOBAL_MEM_SIZE of the device"},
	}...) {
		if t.value > 0 {
			d.facts[t.key] = Fact{Value: float64(t.value), Source: t.source}
		}
	}
	named, units := find(sheets().Devices, f.Name), float64(f.ComputeUnits)
	switch {
	case len(named.Facts) > 0 && (units == 0 || units == named.Facts[Multiprocessors].Value):
		maps.Copy(d.facts, named.Facts)
	case f.Type == "cpu":
		maps.Copy(d.facts, find(sheets().Architectures, f.Platform).Facts)
	default:
		maps.Copy(d.facts, find(sheets().Architectures, f.Architecture).Facts)
	}
	if d.Value(Groups) == 1 { // the limits of a work-group are those of the multiprocessor
		for k, v := range map[Key]int64{LocalBytes: f.LocalMem, Items: f.MaxWorkGroup} {
			if v > 0 {
				d.facts[k] = Fact{Value: float64(v), Source: "what the device allows for a work-group, the only one of a multiprocessor"}
			}
		}
	}
	return d
}

// Named returns the data sheet of the device with the name, nil where there is none, and the names that there are. A part of the
// name will do where all devices that have it are of one architecture, and capitals do not matter: h200 is the NVIDIA H200, a100 the first A100.
func Named(name string) (*Device, []string) {
	var known []string
	var alike []*sheet
	for _, s := range sheets().Devices {
		if slices.Contains(s.Names, name) {
			return s.device(), nil
		}
		if slices.ContainsFunc(s.Names, func(full string) bool { return strings.Contains(strings.ToLower(full), strings.ToLower(name)) }) {
			alike = append(alike, s)
		}
		known = append(known, s.Names...)
	}
	if len(alike) > 0 && !slices.ContainsFunc(alike, func(s *sheet) bool { return s.Architecture != alike[0].Architecture }) {
		return alike[0].device(), nil
	}
	return nil, known
}

func (s *sheet) device() *Device {
	return &Device{Names: s.Names, Architecture: s.Architecture, facts: s.Facts}
}

// Typical returns the device with orders of magnitude for what is not known of it: those of a CPU or of a large GPU.
func (d *Device) Typical() *Device {
	out := &Device{}
	kind := "gpu"
	if d != nil {
		*out = *d
		if d.kind == "cpu" {
			kind = d.kind
		}
	}
	out.facts = maps.Clone(find(sheets().Typical, kind).Facts)
	if d != nil {
		maps.Copy(out.facts, d.facts)
	}
	return out
}
