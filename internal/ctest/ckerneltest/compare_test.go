package ckerneltest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
)

// sameAsRuns compares a kernel at sizes with launches of its text at these. others makes launches at other sizes: where a branch runs at none
// of the sizes, they tell that values use an integer.
func sameAsRuns(k *kernel.Kernel, o *features.Occurrences, at []map[string]int64, launches []Launch, others func() ([]Launch, error)) error {
	reports, err := sameCounts(o, at, launches, nil)
	if err != nil && others != nil {
		more, failed := others()
		if failed != nil {
			return failed
		}
		reports, err = sameCounts(o, at, launches, more)
	}
	if err != nil || slices.ContainsFunc(k.Functions, func(f *kernel.Function) bool { return f.Def == nil }) {
		return err // opaque functions are not interpreted
	}
	nest, err := linear.New(k)
	if err != nil {
		return fmt.Errorf("linear: %w", err)
	}
	for i, l := range launches {
		if err := sameValues(nest, at[i], l, reports[i]); err != nil {
			return fmt.Errorf("at %v: %w", at[i], err)
		}
	}
	return nil
}

func sameCounts(o *features.Occurrences, at []map[string]int64, launches, others []Launch) ([]*Report, error) {
	reports, err := RunAll(launches, others)
	if err != nil {
		return nil, err
	}
	for i, r := range reports {
		stats, err := o.CountAt(at[i])
		if err != nil {
			return nil, err
		}
		if list := compareCounts(stats, at[i], r, true); len(list) > 0 {
			return nil, fmt.Errorf("at %v:\n%s", at[i], listed(list))
		}
	}
	return reports, nil
}

// difference is a count that differs from that of a run.
type difference struct {
	key          string
	counted, run int64
	why          string // in place of numbers
}

func (d difference) String() string {
	if d.why != "" {
		return d.key + d.why
	}
	return fmt.Sprintf("%s: counted %d, run %d", d.key, d.counted, d.run)
}

// listed is a line for each.
func listed(list []difference) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintln(&b, d)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

const bySubGroup, byWorkItem = " (subgroup)", " (workitem)"

// compareCounts lists where the counts of a kernel differ from those of a run of its text. byForm: what is the same for a sub-group by its form is
// counted once for one.
func compareCounts(stats *features.Statistics, at map[string]int64, r *Report, byForm bool) (differences []difference) {
	want, got := map[string]int64{}, map[string]int64{}
	for op, n := range r.Ops {
		want[fmt.Sprintf("%s %s", op.DType, op.Name)] += n.SubGroups
	}
	either := map[string][]Count{} // what is counted by work-items or by sub-groups
	for a, n := range r.Accesses {
		key := accessKey(a.Array, a.DType, a.Write)
		switch {
		case a.Space == cfront.LocalSpace || n.Shared && byForm:
			want[key+bySubGroup] += n.SubGroups
		case !n.Uniform && !n.Shared:
			want[key+byWorkItem] += n.Items
		default:
			either[key] = append(either[key], n.Count)
		}
	}
	want["barrier_local"] = r.Barriers
	for _, record := range stats.Records {
		v, err := record.Count.Eval(at)
		if err != nil {
			return []difference{{key: record.Key.String(), why: fmt.Sprintf(": %s: %v", record.Count, err)}}
		}
		n := v.Num().Int64()
		if !v.IsInt() {
			return []difference{{key: record.Key.String(), why: " is " + v.RatString()}}
		}
		switch key := record.Key.(type) {
		case features.Op:
			got[fmt.Sprintf("%s %s", key.DType, key.Op)] += n
		case features.Mem:
			by := map[features.Granularity]string{features.SubGroup: bySubGroup, features.WorkItem: byWorkItem}[key.Granularity]
			got[accessKey(key.Variable, key.DType, key.Direction == features.Store)+by] += n
		case features.Sync:
			got[key.Op] += n
		case features.Footprint:
			want[key.String()] = r.Read[key.Variable]
			if key.Direction == features.Write {
				want[key.String()] = r.Written[key.Variable]
			}
			if got[key.String()] = n; r.Guessed || r.Read[key.Variable]+r.Written[key.Variable] == 0 { // of local memory
				delete(want, key.String())
				delete(got, key.String())
			}
		}
	}
	delete(got, "kernel_launch")
	for key, counts := range either {
		items, subGroups := choose(counts, got[key+byWorkItem]-want[key+byWorkItem], got[key+bySubGroup]-want[key+bySubGroup])
		want[key+byWorkItem] += items
		want[key+bySubGroup] += subGroups
	}
	var keys []string
	for _, m := range []map[string]int64{want, got} {
		for key := range m {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		if got[key] != want[key] {
			differences = append(differences, difference{key: key, counted: got[key], run: want[key]})
		}
	}
	return differences
}

// choose sums counts by work-items or by sub-groups, each as gives the sums that are wanted, if any choice does.
func choose(counts []Count, wantItems, wantSubGroups int64) (items, subGroups int64) {
	for choice := range 1 << len(counts) {
		items, subGroups = 0, 0
		for i, n := range counts {
			if choice>>i&1 == 0 {
				subGroups += n.SubGroups
			} else {
				items += n.Items
			}
		}
		if items == wantItems && subGroups == wantSubGroups {
			break
		}
	}
	return items, subGroups
}

// sameValues compares what the kernel computes with what the run of its text left.
func sameValues(nest *linear.Nest, at map[string]int64, l Launch, r *Report) error {
	at = maps.Clone(at)
	for _, a := range nest.Kernel.Args { // extents that the text does not tell
		if p := a.Name + "_size"; !a.IsValue && slices.Contains(nest.Kernel.Params(), p) {
			at[p] = int64(len(r.Memory[a.Name]))
		}
	}
	buffers := map[string]*interp.Buffer{}
	for _, a := range nest.Kernel.Args {
		n := int64(1)
		switch {
		case a.IsValue && a.DType.IsInteger():
			continue
		case a.IsValue:
			b := interp.NewBuffer(a.DType, 1)
			b.Set(0, l.Args[a.Name])
			buffers[a.Name] = b
			continue
		}
		for _, e := range a.Shape {
			v, err := expr.EvalInt(e, at)
			if err != nil {
				return fmt.Errorf("shape of %s: %w", a.Name, err)
			}
			n *= max(0, v.Int64()) // an extent may be below 0 where nothing is accessed
		}
		b := interp.NewBuffer(a.DType, int(n))
		for i := range n {
			b.Set(int(i), l.Start(a.Name, i))
		}
		buffers[a.Name] = b
	}
	params := map[string]int64{}
	for _, p := range nest.Kernel.Params() {
		params[p] = at[p]
	}
	if _, err := interp.Run(nest, params, buffers); err != nil {
		return fmt.Errorf("interpreting: %w", err)
	}
	for name, elements := range r.Memory {
		b := buffers[name]
		if b == nil {
			continue
		}
		for i, want := range elements {
			if i >= b.Len() {
				return fmt.Errorf("%s has %d elements, %d of which the text accesses", name, b.Len(), len(elements))
			}
			got := b.At(i)
			same := got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-4*math.Max(math.Abs(got), math.Abs(want))
			if !same {
				return fmt.Errorf("%s[%d] is %v, in the run %v", name, i, got, want)
			}
		}
	}
	return nil
}
