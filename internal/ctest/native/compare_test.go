package native

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gpuperf/cfront"
	"gpuperf/ckernel"
	"gpuperf/features"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/intmath"
	"gpuperf/internal/source"
	"gpuperf/workload"
)

// function is a kernel function with its launch, in the notation of the command's flags.
type function struct {
	text   string
	openCL bool
	kernel string
	local  []int64
	global []string // work-items: expressions in sizes
	shared string
	assume []string
	sizes  []map[string]int64
	starts func(map[string]int64) map[string][2]int64
	floats map[string]float64
	// held: conditions on data have no other side and decide on no jump, so that taking them to hold is the count that is made of them.
	held bool
	// alone: the counts are made for each size; a formula for all takes too long.
	alone    bool
	bind     map[string]string // parameters to which a launch passes expressions in sizes
	features []string          // of the language that the text has
}

// groups are the work-groups at sizes.
func (f *function) groups(at map[string]int64) (out [3]int64, err error) {
	out = [3]int64{1, 1, 1}
	for d, text := range f.global {
		n, err := evaluate(text, at)
		if err != nil {
			return out, err
		}
		local := int64(1)
		if d < len(f.local) {
			local = f.local[d]
		}
		out[d] = intmath.CeilDiv(n, local)
	}
	return out, nil
}

// native is the function as a case.
func (f *function) native() (Case, error) {
	c := Case{Text: f.text, OpenCL: f.openCL, Kernel: f.kernel, Local: [3]int64{1, 1, 1}}
	copy(c.Local[:], f.local)
	for _, at := range f.sizes {
		g, err := f.groups(at)
		if err != nil {
			return c, err
		}
		l := Launch{Groups: g, Args: maps.Clone(f.floats), Held: f.held}
		if l.Args == nil {
			l.Args = map[string]float64{}
		}
		for n, v := range at {
			l.Args[n] = float64(v)
		}
		for n, text := range f.bind {
			v, err := evaluate(text, at)
			if err != nil {
				return c, err
			}
			l.Args[n] = float64(v)
		}
		if f.starts != nil {
			l.Starts = f.starts(at)
		}
		c.Launches = append(c.Launches, l)
	}
	return c, nil
}

// counts are those of the command, by what is counted.
type counts struct {
	values map[string]int64
	held   bool // some are as if conditions held
	apart  bool // no work-group meets at all barriers that are counted
}

// stepsOfCount is how many steps a run may take for each thing that is counted: heads of loops and subscripts are no work.
const stepsOfCount = 16

// steps is all that is counted.
func (c *counts) steps() (sum int64) {
	for _, n := range c.values {
		sum += n
	}
	return sum
}

// patience ends a count whose own limit of work does not: a fault, but none that should keep the others from being looked at. It is so long that a
// busy machine does not make it.
const patience = 5 * time.Minute

// count counts as `perf count --subgroup-size 1 --no-madd --exact-branches` does.
func (f *function) count(folder string) (all []counts, err error) {
	name := "f.cu"
	if f.openCL {
		name = "f.cl"
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	o := frontend.Options{Kernel: f.kernel, Local: numbers(f.local), Global: strings.Join(f.global, ","), Shared: f.shared, Assume: f.assume}
	options := features.Options{SubgroupSize: 1, NoMadd: true, ExactBranches: true}
	switch {
	case f.bind != nil:
		w, err := f.bound(ctx, path)
		if err != nil {
			return nil, err
		}
		return f.countAlone(func(map[string]int64) (*workload.Kernel, error) { return w, nil }, options)
	case f.alone:
		list, err := o.Load(ctx, path)
		if err != nil {
			return nil, err
		}
		return f.countAlone(func(at map[string]int64) (*workload.Kernel, error) {
			k, err := list[0].At(ctx, at)
			if err != nil {
				return nil, err
			}
			if parts := k.Kernel.Opaque; len(parts) > 0 {
				return nil, fmt.Errorf("in part: %s", parts[0].Text)
			}
			w := workload.NewKernel(k.Kernel)
			w.AsRun = k.AsRun
			return w, nil
		}, options)
	}
	for _, at := range f.sizes {
		list, _, err := campaign.Counts(ctx, o, path, at, options)
		if err != nil {
			return nil, err
		}
		if parts := list[0].IR.Opaque; len(parts) > 0 { // the count says what it lacks
			return nil, fmt.Errorf("in part: %s", parts[0].Text)
		}
		records := list[0].Statistics.Records
		if len(list[0].Statistics.Warnings) > 0 {
			fixed, err := list[0].Case.Counts(list[0].Counting(options))
			if err != nil {
				return nil, err
			}
			records = slices.Concat(records, list[0].Statistics.Alone(fixed))
		}
		one, err := countsOf(records, list[0].Statistics, at)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// bound is the kernel with the values that a launch passes.
func (f *function) bound(ctx context.Context, path string) (*workload.Kernel, error) {
	file, err := cfront.Read(ctx, path, cfront.Options{})
	if err != nil {
		return nil, err
	}
	k, err := ckernel.Read(ctx, file, ckernel.Options{Kernel: f.kernel, Local: f.local, Global: f.global, Dynamic: f.shared, Bind: f.bind, Assume: f.assume})
	if err != nil {
		return nil, err
	}
	w := workload.NewKernel(k)
	w.AsRun = true
	return w, nil
}

// countAlone counts at each size as predictions do.
func (f *function) countAlone(kernel func(at map[string]int64) (*workload.Kernel, error), options features.Options) (all []counts, err error) {
	for _, at := range f.sizes {
		w, err := kernel(at)
		if err != nil {
			return nil, err
		}
		c := &workload.Case{Kernel: w, Sizes: at}
		s, err := c.Counts(c.Counting(options))
		if err != nil {
			return nil, err
		}
		one, err := countsOf(s.Records, s, at)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// countsOf are the values of records at sizes.
func countsOf(records []features.Record, s *features.Statistics, at map[string]int64) (one counts, err error) {
	one = counts{values: map[string]int64{}, held: len(s.AsIfHeld()) > 0}
	one.apart = slices.ContainsFunc(s.Warnings, func(w error) bool { return errors.Is(w, features.ErrApart) })
	for _, r := range records {
		v, err := r.At(at)
		if err != nil {
			return one, fmt.Errorf("%v: %w", r.Key, err)
		}
		switch k := r.Key.(type) {
		case features.Op:
			one.values["op "+family(string(k.DType))+" "+k.Op] += int64(v)
		case features.Mem:
			space := string(k.Space)
			if space == "constant" {
				space = "global"
			}
			array := k.Variable
			if name, other := strings.CutSuffix(array, "_0"); other {
				if _, is := at[name]; is { // an array with the name of a size has another in the counts
					array = name
				}
			}
			one.values[fmt.Sprintf("mem %s %s %s %s", space, k.DType, k.Direction, array)] += int64(v)
		case features.Sync:
			if k.Op != "kernel_launch" {
				one.values["barrier"] += int64(v)
			}
		}
	}
	return one, nil
}

func numbers(list []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}

// family is the type of an operation: one name for all integers, as indices have other types in kernels than in C.
func family(t string) string {
	if strings.HasPrefix(t, "float") {
		return t
	}
	return "integer"
}

// compare lists where counts differ from what a run did.
func compare(c counts, r *Report, forced bool) (out []string) {
	if r.Crash != "" {
		return []string{"the run crashed: " + r.Crash}
	}
	if r.Endless {
		if c.steps() >= MostSteps/stepsOfCount {
			return nil // it is as long as it is counted
		}
		return []string{fmt.Sprintf("the run is endless, and %d operations, accesses and barriers are counted", c.steps())}
	}
	least, most := map[string]int64{}, map[string]int64{}
	for op, n := range r.Ops {
		key := "op " + family(op.Type) + " " + op.Name
		least[key] += n.Work
		if family(op.Type) == "integer" {
			most[key] += n.Evaluated
		} else {
			most[key] += n.Work
		}
	}
	for a, n := range r.Accesses {
		dtype := a.Type
		if a.Lanes > 1 {
			dtype = fmt.Sprintf("%sx%d", dtype, a.Lanes)
		}
		direction := "load"
		if a.Store {
			direction = "store"
		}
		space := a.Space
		if space == "constant" {
			space = "global"
		}
		key := fmt.Sprintf("mem %s %s %s %s", space, dtype, direction, a.Array)
		least[key] += n
		most[key] += n
	}
	if r.Fewest == r.Most {
		least["barrier"], most["barrier"] = r.Most, r.Most
	} else {
		least["barrier"], most["barrier"] = 0, r.Most
	}
	if r.Divergent {
		out = append(out, "not all work-items of a group meet at a barrier")
	}
	keys := map[string]bool{}
	for _, m := range []map[string]int64{least, most, c.values} {
		for k := range m {
			keys[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		n := c.values[k]
		if n < least[k] || n > most[k] && (!c.held || forced) && (k != "barrier" || !c.apart) {
			want := fmt.Sprint(least[k])
			if least[k] != most[k] {
				want += fmt.Sprintf(" to %d", most[k])
			}
			out = append(out, fmt.Sprintf("%s: counted %d, run %s", k, n, want))
		}
	}
	return out
}

var inMessages = regexp.MustCompile("[A-Za-z_]*[0-9][A-Za-z0-9_]*|\"[^\"]*\"")

// class is what a refusal is for: its message without names and numbers.
func class(err error) string {
	msg := err.Error()
	if e := (*source.Error)(nil); errors.As(err, &e) {
		msg = e.Msg
	}
	return inMessages.ReplaceAllString(strings.SplitN(msg, "\n", 2)[0], "…")
}
