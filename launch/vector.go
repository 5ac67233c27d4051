// Package launch derives what one launch of a kernel does at given sizes, lane by lane: the static features by which variants are
// ranked, and totals of them for models.
//
// New makes a Program of a linearized kernel (program.go), and Program.At its Vector at some sizes. It walks the program over boxes of
// work-groups and iterations (walk.go, loop.go) on which index expressions are affine (form.go, index.go). There it counts the units that
// sub-groups touch (units.go), the loads that straight-line code repeats, and the rounds of loads (straight.go). Registers are
// estimated (registers.go); the device bounds what runs at once (package device/machine). Totals are features of models (totals.go). Where it is known
// what the compiler made of the kernel, what the walk does in each loop and guard (parts.go) tells how often the instructions of its machine
// code are executed (code.go).
package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Options say how static features are derived. The zero value is the default.
type Options struct {
	SubgroupSize int // work-items that run together; 0 is 32
	// Borders evaluates selects, minima, maxima and remainders in indices for each work-item. The default takes the case that
	// holds in the middle of the launch, as padded data is rarely accessed (Lift, section 4.4 of
	// the paper on static features).
	Borders bool
	// Values takes indices that are read from memory for what the kernel assumes of the array. The default takes them to be all different.
	Values bool
	// Compiled counts loads as compilers make them, where the default takes code as it is written: a load that is the same in all iterations of a
	// loop comes before it, and neighbouring elements in local memory are loaded together, up to 16 bytes.
	Compiled bool
	// Device limits the resident work-groups. Features that depend on unknown facts of it are left out of vectors; nil has no known
	// facts.
	Device *facts.Device
	// Boxes bounds the pieces into which a launch is divided until work-items agree; 0 is 4096. Beyond that one value of a
	// variable represents all of them, and the vector is not exact.
	Boxes int
	// Traffic adds to the vector of a Sequence what a walk with its accesses tells, such as what moves between L1, L2 and DRAM: the totals
	// that models name f_static_…, of code as compilers make it (Compiled, Values), whatever the other options say. It takes some ten times as long, and
	// needs a device whose caches are known.
	Traffic bool
}

// Names are the names of the features in the vector of a Sequence, in their order.
func (o Options) Names() []string {
	names := Names(o.Device)
	if o.Traffic {
		names = append(names, TrafficNames()...)
	}
	return names
}

// DefaultSubgroup is the default number of work-items of a sub-group.
const DefaultSubgroup = 32

// defaultBoxes are enough for kernels with borders and triangles to be exact, and are walked in milliseconds.
const defaultBoxes = 4096

// result holds the data that the features are computed from.
type result struct {
	*walk
	local    [3]int64
	items    int64            // of a group
	total    int64            // of the launch
	shared   int64            // bytes of local memory
	onSM     int64            // groups that run at once on a multiprocessor
	arrays   map[string]int64 // bytes of the accessed arrays in global memory
	launches int64
	longest  float64 // work of the work-group that has most by the mean; 1 where nobody asks
}

// Vector are the static features of a kernel at some sizes (Table 1 of the paper on static features of Lift programs,
// and more): what a launch does, per work-item, and how it uses memory and the device.
type Vector struct {
	Kernel string
	Sizes  map[string]int64
	// Features are the features known on the device, with their Values.
	Features []Feature
	Values   []float64
	// Exact reports that all counts are those of the program, up to what the options leave out. They are not where the launch had
	// to be divided more often than Boxes allows, or where the trips of a loop are known on average alone.
	Exact bool

	device *facts.Device
}

// Names are the names of the features.
func (v *Vector) Names() []string { return namesOf(v.Features) }

// Value is the feature of that name.
func (v *Vector) Value(name string) (float64, bool) {
	i := slices.IndexFunc(v.Features, func(f Feature) bool { return f.Name == name })
	if i < 0 {
		return 0, false
	}
	return v.Values[i], true
}

// Error says why the features of a kernel cannot be derived.
type Error struct {
	Kernel string
	Err    error
}

func (e *Error) Error() string { return "kernel " + e.Kernel + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// error names the kernel of an error.
func (p *Program) error(err error) error { return &Error{p.nest.Kernel.Name, err} }

// At derives the features at the given sizes.
func (p *Program) At(sizes map[string]int64) (*Vector, error) {
	r, err := p.run(sizes)
	if err != nil {
		return nil, p.error(err)
	}
	return r.vector(sizes), nil
}

// Sequence derives the features of kernels that run one after the other and share the arrays of the same name. Accesses, operations and
// the like are summed over all kernels and divided by the work-items of the kernel that runs most statements, which also has the features
// of the launch.
func Sequence(list []*Program, sizes map[string]int64) (*Vector, error) {
	if len(list) == 0 {
		return nil, errors.New("a program without kernels has no features")
	}
	var main *result
	var all []*result
	data := map[string]int64{}
	for _, p := range list {
		r, err := p.run(sizes)
		if err != nil {
			return nil, p.error(err)
		}
		all = append(all, r)
		if main == nil || r.sum[statements] > main.sum[statements] {
			main = r
		}
		for name, n := range r.arrays {
			data[name] = max(data[name], n)
		}
	}
	for _, r := range all {
		if r != main {
			for i, n := range r.sum {
				main.sum[i] += n
			}
			main.sampled += r.sampled
			main.merged = main.merged || r.merged
			main.widest = max(main.widest, r.widest)
		}
	}
	main.launches, main.arrays = int64(len(list)), data
	v := main.vector(sizes)
	if main.p.opt.Traffic {
		return v, v.addTraffic(list, sizes)
	}
	return v, nil
}

// run walks the program.
func (p *Program) run(sizes map[string]int64) (*result, error) { return p.runWith(sizes, nil) }

// runWith also collects the accesses, if stream is not nil.
func (p *Program) runWith(sizes map[string]int64, stream *stream) (*result, error) {
	return p.walkOver(sizes, stream, nil)
}

// walkOver is runWith, which also counts what accesses touch, by their numbers, if byText is not nil.
func (p *Program) walkOver(sizes map[string]int64, stream *stream, byText []Units) (*result, error) {
	w := &walk{
		p: p, boxes: p.opt.Boxes, tiles: make([]tile, len(p.arrays)), stream: stream, local: p.nest.Local, byText: byText,
	}
	for _, name := range p.params {
		v, ok := sizes[name]
		if !ok {
			return nil, fmt.Errorf("size %s has no value", name)
		}
		w.sizes = append(w.sizes, v)
	}
	w.epochs = make([]uint64, len(p.arrays))
	r := &result{walk: w, local: w.local, items: 1, total: 1, launches: 1, longest: 1, arrays: map[string]int64{}}
	if err := w.groupsAt(sizes); err != nil {
		return nil, err
	}
	r.local = w.local
	for axis, n := range w.local {
		r.items *= n
		r.total *= n * w.groups[axis]
	}
	if r.total > 1<<40 {
		return nil, fmt.Errorf("a launch of %v groups of %v work-items is too large", w.groups, w.local)
	}
	if err := w.averagesAt(sizes); err != nil {
		return nil, err
	}
	if err := w.layout(sizes, r); err != nil {
		return nil, err
	}
	w.path.cycles = p.cycles
	if p.loads {
		w.sum[rounds] = r.total
		w.path.rounds, w.path.longest = 1, 1
	}
	if r.total > 0 {
		w.run(r.items, nil)
		if stream != nil && p.uneven && !p.edit.Alike {
			r.longest = w.longest(r.items)
		}
	}
	r.reshape()
	if w.parts() != nil {
		w.parts().whole.done = w.soFar()
	}
	return r, nil
}

// groupsAt are the work-groups and their work-items, as the edit of the program changes them.
func (w *walk) groupsAt(sizes map[string]int64) error {
	var err error
	if w.groups, err = w.p.nest.GroupsAt(sizes); err != nil {
		return err
	}
	return w.p.edit.regroup(w)
}

// vector computes the features.
func (r *result) vector(sizes map[string]int64) *Vector {
	out := &Vector{Kernel: r.p.nest.Kernel.Name, Sizes: sizes, Features: r.p.features, device: r.p.opt.Device, Exact: r.sampled == 0 && !r.merged}
	for _, f := range out.Features {
		out.Values = append(out.Values, f.of(r))
	}
	return out
}

// layout computes the strides of arrays and the memory that they take.
func (w *walk) layout(sizes map[string]int64, r *result) error {
	for _, a := range w.p.arrays {
		strides := make([]int64, len(a.layout.Strides))
		for i, s := range a.layout.Strides {
			v, err := Address(s.Of, sizes)
			if err != nil {
				return fmt.Errorf("stride of %s: %w", a.Name, err)
			}
			strides[i] = v * a.bytes
		}
		offset := int64(0)
		if a.Offset != nil {
			v, err := Address(a.Offset, sizes)
			if err != nil {
				return fmt.Errorf("offset of %s: %w", a.Name, err)
			}
			offset = v * a.bytes
		}
		n, err := a.Elements(sizes)
		if err != nil {
			return err
		}
		w.strides, w.offsets, w.extents = append(w.strides, strides), append(w.offsets, offset), append(w.extents, n*a.bytes)
		if a.Memory() == kernel.Global {
			r.arrays[a.Name] = n * a.bytes
		}
	}
	for _, a := range w.p.nest.Kernel.Temps {
		if a.Space == kernel.Local {
			n, err := a.Elements(sizes)
			if err != nil {
				return err
			}
			r.shared += n * a.DType.Size()
		}
	}
	return nil
}

// Address is the value of a part of an address. Values beyond 50 bits are errors, so that sums of products of them fit 64.
func Address(e expr.Expr, sizes map[string]int64) (int64, error) {
	v, err := expr.EvalInt(e, sizes)
	if err != nil {
		return 0, err
	}
	if v.BitLen() > 50 {
		return 0, fmt.Errorf("the address %s is too large", e)
	}
	return v.Int64(), nil
}

// start returns the state of all work-items of all groups.
func (w *walk) start(items int64) *state {
	st := w.copied(&state{weight: 1})
	st.sizes, st.nv = w.sizes, axisVars
	for v := range maxVars {
		st.n[v] = 1
	}
	for axis := range 3 {
		for v, n := range map[int]int64{axis: w.local[axis], lidVars + axis: w.groups[axis]} {
			st.n[v] = n
			st.env[v].k[v] = 1
			w.centre.at[v], w.centre.hi[v] = n/2, n-1
		}
	}
	if joined := w.p.edit.Joined; joined > 1 { // work-items along axis 2 are those of further groups along axis 0
		st.env[2] = form{}
		st.env[lidVars].k[lidVars], st.env[lidVars].k[2] = joined, 1
		w.centre.at[lidVars], w.centre.hi[lidVars] = w.groups[0]/2*joined, w.groups[0]*joined-1
		w.centre.at[2], w.centre.hi[2] = 0, 0
	}
	if wide := w.p.edit.Wide; wide > 1 {
		for _, v := range []int{0, lidVars} {
			st.env[v].k[v] = wide
			w.centre.at[v], w.centre.hi[v] = w.centre.at[v]*wide, w.centre.hi[v]*wide
		}
	}
	size := w.local
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				w.lanes = append(w.lanes, [lidVars]int64{x, y, z})
			}
		}
	}
	key := wholeKey{size, w.p.opt.SubgroupSize}
	if st.mask = w.whole[key]; st.mask == nil {
		lanes := make([]int32, items)
		for i := range lanes {
			lanes[i] = int32(i)
		}
		st.mask = w.newMask(lanes)
		w.whole[key] = st.mask
	}
	return st
}

// MarshalJSON writes {"kernel", "at", "exact", "features": [{"name", "value", "unit"}]}.
func (v *Vector) MarshalJSON() ([]byte, error) {
	type feature struct {
		Name  string  `json:"name"`
		Value float64 `json:"value"`
		Unit  string  `json:"unit,omitempty"`
	}
	list := make([]feature, len(v.Values))
	for i, x := range v.Values {
		list[i] = feature{v.Features[i].Name, x, v.Features[i].Unit}
	}
	return json.Marshal(struct {
		Kernel   string           `json:"kernel"`
		At       map[string]int64 `json:"at"`
		Exact    bool             `json:"exact"`
		Features []feature        `json:"features"`
	}{v.Kernel, v.Sizes, v.Exact, list})
}

// Write prints the vector, a feature to a line.
func (v *Vector) Write(w io.Writer) error {
	for i, x := range v.Values {
		f := &v.Features[i]
		if _, err := fmt.Fprintf(w, "%-18s %14.6g  %s\n", f.Name, x, strings.TrimSpace(f.Unit+"  "+f.Doc)); err != nil {
			return err
		}
	}
	return nil
}
