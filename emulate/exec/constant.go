package exec

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"gpuperf/device"
	"gpuperf/sass"
)

// bank is a constant bank: bytes, and which of them are known.
type bank struct{ data, known []byte }

// banks are the constant banks of a launch, by number.
type banks map[int]*bank

// set writes known bytes.
func (b banks) set(number int, at uint64, data []byte) {
	k := b[number]
	if k == nil {
		k = &bank{}
		b[number] = k
	}
	if grow := int(at) + len(data) - len(k.data); grow > 0 {
		k.data = append(k.data, make([]byte, grow)...)
		k.known = append(k.known, make([]byte, grow)...)
	}
	copy(k.data[at:], data)
	for i := range data {
		k.known[int(at)+i] = 1
	}
}

// forget makes bytes unknown.
func (b banks) forget(number int, at uint64, bytes int) {
	if k := b[number]; k != nil && at < uint64(len(k.known)) {
		clear(k.known[at:min(at+uint64(bytes), uint64(len(k.known)))])
	}
}

// words writes known words of 32 bits.
func (b banks) words(number int, at uint64, values ...uint32) {
	for i, v := range values {
		b.set(number, at+4*uint64(i), binary.LittleEndian.AppendUint32(nil, v))
	}
}

// word reads up to 8 bytes.
func (b banks) word(number int, at uint64, bytes int) (v uint64, known bool) {
	k := b[number]
	if k == nil || at+uint64(bytes) > uint64(len(k.data)) {
		return 0, false
	}
	for i := range uint64(bytes) {
		if k.known[at+i] == 0 {
			return 0, false
		}
		v |= uint64(k.data[at+i]) << (8 * i)
	}
	return v, true
}

// layout is where the driver puts what into constant bank 0. Seen in listings of nvcc for each architecture.
type layout struct {
	from       int    // the first architecture that has it
	parameters uint64 // where those of the kernel begin
	block      uint64 // the work-items per group, in three words; the groups per grid lie behind them
	grid       uint64
	stack      uint64 // the address of private memory at which the stack begins
	private    uint64 // where private memory lies among generic addresses
	shared     uint64 // where local (shared) memory lies; 0 where code asks a special register
	descriptor uint64 // of global memory
	itself     uint64 // where the bank itself lies among generic addresses, and the parameters in it; 0 where that is not known
	passed     uint64
	begin      uint64 // under OpenCL, the number of the first work-item in each dimension; 0 where that is not known
	clusters   uint64 // whether the launch says how large its clusters are, and that in three words, and with what numbers of groups are multiplied to find clusters; 0 where that is not known
}

var layouts = []layout{
	{from: 100, parameters: 0x380, block: 0x360, grid: 0x370, stack: 0x37c, private: 0x350, descriptor: 0x358},
	{from: 90, parameters: 0x210, block: 0, grid: 0xc, stack: 0x28, private: 0x20, descriptor: 0x208, itself: 0xc0, passed: 0x198, begin: 0x4c, clusters: 0x140},
	{from: 70, parameters: 0x160, block: 0, grid: 0xc, stack: 0x28, private: 0x20, shared: 0x18, descriptor: 0x118},
}

// stackTop is where private memory ends.
const stackTop = 0xfff000

var architecture = regexp.MustCompile(`^sm_(\d+)`)

// layoutOf is the layout of an architecture; that of sm_90 where it is not told.
func layoutOf(target string) (layout, error) {
	m := architecture.FindStringSubmatch(target)
	if m == nil {
		return layouts[1], nil
	}
	n, _ := strconv.Atoi(m[1])
	for _, l := range layouts {
		if n >= l.from {
			return l, nil
		}
	}
	return layout{}, fmt.Errorf("code for %s cannot be executed: sm_70 is the oldest architecture whose code is known", target)
}

// clusterWords are what the driver tells the code about the clusters of a launch: whether the launch says how large they are, how large, in each dimension,
// and its reciprocal, so rounded that a whole number of clusters stays one (seen in what CUTLASS's kernels do with them on sm_90).
func clusterWords(a *device.Attributes) []uint32 {
	words := []uint32{0, 1, 1, 1, 0, 0, 0}
	if a != nil && a.Cluster != nil {
		words[0] = 1
		for d, n := range a.Cluster {
			words[d+1] = uint32(n)
		}
	}
	for d := range 3 {
		n := float32(words[d+1])
		part := 1 / n
		if float64(part)*float64(n) < 1 {
			part = math.Nextafter32(part, 2)
		}
		words[d+4] = math.Float32bits(part)
	}
	return words
}

// constants are the constant banks of a launch.
func constants(f *sass.Function, job device.Job, m *Memory) (banks, error) {
	l, err := layoutOf(f.Target)
	if err != nil {
		return nil, err
	}
	b := banks{}
	for number, data := range f.Constants {
		b.set(number, 0, data)
	}
	block, grid := shape(job)
	b.words(0, l.block, block[:]...)
	b.words(0, l.grid, grid[:]...)
	b.words(0, l.stack, stackTop)
	b.words(0, l.private, uint32(privateAt&0xffffffff), uint32(privateAt>>32))
	if l.shared != 0 {
		b.words(0, l.shared, uint32(sharedAt&0xffffffff), uint32(sharedAt>>32))
	}
	b.words(0, l.descriptor, 0, 0)
	if l.itself != 0 {
		b.words(0, l.itself, uint32(constantAt&0xffffffff), uint32(constantAt>>32))
		b.words(0, l.passed, uint32((constantAt+l.parameters)&0xffffffff), uint32((constantAt+l.parameters)>>32))
	}
	if l.begin != 0 {
		words := make([]uint32, 3)
		if job.Attributes != nil {
			for d, n := range job.Attributes.Begin {
				words[d] = uint32(n)
			}
		}
		b.words(0, l.begin, words...)
	}
	if l.clusters != 0 {
		b.words(0, l.clusters, clusterWords(job.Attributes)...)
	}
	if err := passed(f, job); err != nil {
		return nil, err
	}
	at := l.parameters
	for i, a := range inBank(job.Args) {
		data, err := value(a, m)
		if err != nil {
			return nil, err
		}
		size := uint64(len(data))
		if align := alignmentOf(a); align > 0 {
			at = (at + align - 1) / align * align
		}
		if i < len(f.Parameters) && !job.Packed {
			at = uint64(f.Parameters[i].From)
		}
		b.set(0, at, data)
		at += size
	}
	return b, nil
}

// inBank are the arguments that lie in the constant bank: all but memory of work-groups.
func inBank(args []device.Arg) []device.Arg {
	return slices.DeleteFunc(slices.Clone(args), func(a device.Arg) bool { return a.Kind == device.Local })
}

// passed refuses arguments that are not as many as the kernel has parameters, or of other sizes.
func passed(f *sass.Function, job device.Job) error {
	args := inBank(job.Args)
	if f.Parameters == nil || job.Packed {
		return nil
	}
	if len(args) != len(f.Parameters) {
		return device.Refusal("the kernel %s has %d parameters, and the arguments of the launch are %d", f.Name, len(f.Parameters), len(args))
	}
	for i, a := range args {
		size := a.Size()
		if a.Kind == device.Struct {
			size = a.Count
		}
		if want := int64(f.Parameters[i].Bytes); size != want {
			return device.Refusal("parameter %d of %s has %d bytes, and the argument %s has %d", i+1, f.Name, want, a.Name, size)
		}
	}
	return nil
}

// limits are how many groups a grid may have in each dimension.
var limits = [3]int64{1<<31 - 1, 1<<16 - 1, 1<<16 - 1}

// checkGrid refuses grids that no device launches.
func checkGrid(job device.Job) error {
	for d, n := range job.Global {
		if d >= len(limits) {
			return fmt.Errorf("the launch has %d dimensions, and a device has %d", len(job.Global), len(limits))
		}
		items := int64(1)
		if d < len(job.Local) {
			items = job.Local[d]
		}
		if items < 1 || n < 1 {
			return fmt.Errorf("the launch has %d work-items in groups of %d in dimension %d", n, items, d+1)
		}
		if groups := (n + items - 1) / items; groups > limits[d] {
			return fmt.Errorf("the grid has %d groups in dimension %d, and a device launches at most %d", groups, d+1, limits[d])
		}
	}
	return nil
}

// shape is how many work-items a group has and how many groups there are.
func shape(job device.Job) (block, grid [3]uint32) {
	for d := range 3 {
		block[d], grid[d] = 1, 1
		if d < len(job.Local) {
			block[d] = uint32(job.Local[d])
		}
		if d < len(job.Global) {
			grid[d] = uint32((job.Global[d] + int64(block[d]) - 1) / int64(block[d]))
		}
	}
	return block, grid
}

// alignmentOf is how a parameter is aligned. Structures are aligned for a pointer: their members are not known here.
func alignmentOf(a device.Arg) uint64 {
	switch a.Kind {
	case device.Struct:
		return 8
	case device.Raw:
		n := uint64(len(a.Bits))
		return max(1, min(8, n&-n))
	}
	return uint64(a.Size())
}

func value(a device.Arg, m *Memory) ([]byte, error) {
	switch a.Kind {
	case device.Buffer:
		return binary.LittleEndian.AppendUint64(nil, m.place(a, nil)+uint64(a.At)), nil
	case device.Raw:
		return a.Bits, nil
	case device.Struct:
		all := make([]byte, a.Count)
		for _, f := range a.Fields {
			data, err := value(f.Arg, m)
			if err != nil {
				return nil, err
			}
			if f.Offset < 0 || f.Offset+int64(len(data)) > a.Count {
				return nil, fmt.Errorf("%s: a field of %d bytes at %d lies outside of %d bytes", a.Name, len(data), f.Offset, a.Count)
			}
			copy(all[f.Offset:], data)
		}
		return all, nil
	}
	return a.ScalarBytes()
}
