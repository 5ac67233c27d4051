package workload

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gpuperf/device"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel/interp"
	"gpuperf/samples"
)

// Reference is what a launch, or some of its work-groups, should write.
type Reference struct {
	samples.Comparison
	// Estimated: the bound of what rounding may do is, for some elements, not proved but taken from runs that round at random.
	Estimated bool
	arrays    map[string]*expected
}

// expected is what is known of an array: elements, and the runs that hold them.
type expected struct {
	want     *interp.Buffer
	elements []int64
	parts    []device.Run // nil is the whole array
	usual    float64      // magnitude of the elements
	spread   []float64    // what rounding is estimated to do to each element; nil without an estimate
}

// Bounds of what is read back of a launch that is timed, and the elements between two that are read with them.
const (
	mostElements = 1 << 15
	mostParts    = 256
	nearElements = 64
)

// vague is the bound of a rounding error, relative to the magnitude of the element, above which a comparison says nothing.
const vague = 0.1

func newReference(c samples.Comparison) *Reference {
	return &Reference{Comparison: c, arrays: map[string]*expected{}}
}

// add takes an array: all of it, or the elements that were written.
func (r *Reference) add(name string, want *interp.Buffer, written []int64, whole bool) {
	e := &expected{want: want, elements: written}
	if whole {
		e.elements = make([]int64, want.Len())
		for i := range e.elements {
			e.elements[i] = int64(i)
		}
	} else {
		e.limit()
	}
	if len(e.elements) == 0 {
		return
	}
	var m device.Magnitudes
	for _, i := range e.elements {
		m.Add(want.At(int(i)))
	}
	e.usual = m.Usual()
	r.arrays[name] = e
	r.note(e)
}

// note enters the tolerances of an array.
func (r *Reference) note(e *expected) {
	for _, i := range e.elements {
		if t := e.tolerance(i); e.usual > 0 && !math.IsInf(t, 1) {
			r.Tolerance = max(r.Tolerance, t/e.usual)
		}
	}
}

// limit makes the runs of the elements, and drops elements of which there are too many.
func (e *expected) limit() {
	e.elements = e.elements[:min(len(e.elements), mostElements)]
	for n, i := range e.elements {
		last := len(e.parts) - 1
		if last >= 0 && i < e.parts[last].First+e.parts[last].Count+nearElements {
			e.parts[last].Count = i + 1 - e.parts[last].First
			continue
		}
		if len(e.parts) == mostParts {
			e.elements = e.elements[:n]
			return
		}
		e.parts = append(e.parts, device.Run{First: i, Count: 1})
	}
}

// tolerance is the difference from the reference that rounding may make at an element, +Inf where it may make any.
func (e *expected) tolerance(i int64) float64 {
	w, t := e.want.At(int(i)), 2*e.want.Err(int(i))
	if most := vague * max(math.Abs(w), e.usual); t > most {
		if e.spread == nil || !(e.spread[i] <= most) {
			return math.Inf(1)
		}
		t = e.spread[i]
	}
	if tiny := interp.Smallest(e.want.DType); math.Abs(w) < tiny {
		t = max(t, tiny) // devices may take it for zero
	}
	return t
}

// estimates are the runs that estimate what rounding does, and safety is how many times their differences from the reference a device's may be.
const (
	estimates = 4
	safety    = 8
)

// estimate estimates what rounding does to the elements of whole arrays, where its bound says nothing, from runs that round at random. A run leaves
// its results in new buffers.
func (r *Reference) estimate(run func(random *rand.Rand) (map[string]*interp.Buffer, error)) {
	for k := range uint64(estimates) {
		buffers := throw.Get(run(rand.New(rand.NewPCG(k, 0))))
		for name, e := range r.arrays {
			if e.spread == nil {
				e.spread = make([]float64, e.want.Len())
			}
			for i := range e.spread {
				if d := math.Abs(buffers[name].At(i) - e.want.At(i)); !(d <= e.spread[i]) {
					e.spread[i] = d
				}
			}
		}
	}
	for _, e := range r.arrays {
		usual := slices.Sorted(slices.Values(e.spread))[len(e.spread)/2] // since an element may be close to the reference by chance
		for i := range e.spread {
			e.spread[i] = safety * (e.spread[i] + usual)
		}
		r.note(e)
	}
	r.Estimated = true
}

// vague counts the elements of which a comparison says nothing.
func (r *Reference) vague() (vagueOnes, all int) {
	for _, e := range r.arrays {
		for _, i := range e.elements {
			all++
			if math.IsInf(e.tolerance(i), 1) {
				vagueOnes++
			}
		}
	}
	return vagueOnes, all
}

// check returns ErrUnverified where most elements cannot be compared.
func (r *Reference) check() error {
	if vagueOnes, all := r.vague(); vagueOnes > all/2 {
		return fmt.Errorf("%w%s: rounding may change %d of %d results by any amount", ErrUnverified, atSizes(r.Sizes), vagueOnes, all)
	}
	return nil
}

// Ask has the job return what Check needs.
func (r *Reference) Ask(job *device.Job) {
	job.Parts = map[string][]device.Run{}
	for _, name := range slices.Sorted(maps.Keys(r.arrays)) {
		job.Keep = append(job.Keep, name)
		if parts := r.arrays[name].parts; parts != nil {
			job.Parts[name] = parts
		}
	}
}

// Check compares the results of a job. An error is a verdict of status wrong_result.
func (r *Reference) Check(outputs map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(r.arrays)) {
		if err := r.arrays[name].compare(outputs[name]); err != nil {
			at := ""
			if len(r.Sizes) > 0 {
				at = "at " + FormatSizes(r.Sizes) + ", "
			}
			return device.Errorf(samples.WrongResult, "%sarray %s: %v", at, name, err)
		}
	}
	return nil
}

// Difference is how far an array is from the reference.
type Difference struct {
	// Relative is the largest difference of an element of floats, relative to the greater of the element and the usual magnitude of the array.
	Relative float64
	// Vague of the elements are not compared, since rounding may change them by any amount.
	Vague int
}

// Differences are those of the arrays of a job that Check has passed.
func (r *Reference) Differences(outputs map[string][]byte) (map[string]Difference, error) {
	out := map[string]Difference{}
	for name, e := range r.arrays {
		got, err := interp.FromBytes(e.want.DType, outputs[name])
		if err != nil || got.Len() != len(e.elements) {
			return nil, fmt.Errorf("array %s: %d elements instead of %d", name, got.Len(), len(e.elements))
		}
		var x Difference
		for i := range e.elements {
			w, g := e.want.At(i), got.At(i)
			if math.IsInf(e.tolerance(int64(i)), 1) {
				x.Vague++
			} else if d := math.Abs(w - g); d > 0 {
				x.Relative = max(x.Relative, d/max(math.Abs(w), e.usual))
			}
		}
		out[name] = x
	}
	return out, nil
}

// compare returns where the device's data differs from the reference by more than rounding may.
func (e *expected) compare(data []byte) error {
	got, err := interp.FromBytes(e.want.DType, data)
	if err != nil {
		return err
	}
	parts := e.parts
	if parts == nil {
		parts = []device.Run{{First: 0, Count: int64(e.want.Len())}}
	}
	n := lists.Sum(parts, func(p device.Run) int64 { return p.Count })
	if int64(got.Len()) != n {
		return fmt.Errorf("%d elements instead of %d", got.Len(), n)
	}
	wrong, first, before := 0, "", int64(0)
	for _, i := range e.elements {
		for i >= parts[0].First+parts[0].Count {
			before += parts[0].Count
			parts = parts[1:]
		}
		if at := int(before + i - parts[0].First); !e.agrees(i, got, at) {
			if wrong++; wrong == 1 {
				first = fmt.Sprintf("element %d is %v, the reference has %v", i, number(got, at), number(e.want, int(i)))
			}
		}
	}
	if wrong > 1 {
		first += fmt.Sprintf(", one of %d wrong elements of %d", wrong, len(e.elements))
	}
	if wrong > 0 {
		return fmt.Errorf("%s", first)
	}
	return nil
}

// agrees compares element i with the one at a place in the device's data. Infinities and NaN equal themselves alone.
func (e *expected) agrees(i int64, got *interp.Buffer, at int) bool {
	if !e.want.DType.IsFloat() {
		return e.want.Int(int(i)) == got.Int(at)
	}
	w, g := e.want.At(int(i)), got.At(at)
	switch {
	case math.IsNaN(w) || math.IsNaN(g):
		return math.IsNaN(w) && math.IsNaN(g)
	case math.IsInf(w, 0):
		return w == g
	}
	return math.Abs(w-g) <= e.tolerance(i)
}

// number is an element as text needs it.
func number(b *interp.Buffer, i int) any {
	if b.DType.IsFloat() {
		return b.At(i)
	}
	return b.Int(i)
}
