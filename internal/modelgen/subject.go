package modelgen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/warning"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/script"
	"gpuperf/workload"
)

// Target is a kernel to be predicted, at the sizes that are asked for. The sizes are not among those measured.
type Target struct {
	Script  string // the path of its script, as the model file is to name it
	Variant script.Variant
	Sizes   []map[string]int64
	// Whole is the kernel as it runs at the sizes, of one whose source exists: what is measured where none of its work can be removed. Fixed says that it
	// is read at these sizes alone.
	Whole []*workload.Case
	Fixed bool
	// At is the same at other sizes; nil for none. An error says that it does not run at them, as where its data is of another length.
	At func(sizes map[string]int64) (*workload.Case, error)
}

// subject is a target with its counts and the sizes to measure it at.
type subject struct {
	Target
	kernel  *workload.Kernel
	ir      *kernel.Kernel // the kernel that is counted
	stats   *features.Statistics
	items   int64 // of a work-group
	lanes   int64 // of a sub-group
	largest map[string]int64
	sizes   []map[string]int64 // to measure at
	outside []string           // notes on sizes asked for that these do not enclose
	notes   []string           // on what is estimated
	// irregular: the footprints of some accesses are not counted.
	irregular bool
}

func (s *subject) at(sizes map[string]int64) *workload.Case {
	return &workload.Case{Kernel: s.kernel, Name: s.Variant.Name, Sizes: sizes}
}

// examine counts a target and refuses what cannot be isolated.
func examine(t Target, opt Options) (*subject, error) {
	s := &subject{Target: t, kernel: workload.NewKernel(t.Variant.Kernel), lanes: opt.lanes()}
	fail := func(err error) (*subject, error) { return nil, t.Variant.Error(err) }
	nest, err := s.kernel.Nest()
	if err != nil {
		return fail(err)
	}
	s.ir = nest.Kernel
	if err := s.ir.Launchable(); err != nil {
		return fail(err)
	}
	size, err := s.ir.LocalSize()
	if err != nil {
		return fail(err)
	}
	s.items = size[0] * size[1] * size[2]
	if s.stats, err = s.kernel.Statistics(features.Options{SubgroupSize: int(s.lanes)}); err != nil {
		return fail(err)
	}
	if len(s.stats.Warnings) > 0 {
		return fail(errors.Join(s.stats.Warnings...))
	}
	if len(t.Sizes) == 0 {
		return nil, fmt.Errorf("no sizes of kernel %s are asked for", t.Variant.Name)
	}
	for _, at := range t.Sizes {
		if err := s.at(at).CheckSizes(); err != nil {
			return nil, err
		}
	}
	s.estimates()
	_, most, err := extremes(t.Sizes, s.traffic)
	if err != nil {
		return fail(err)
	}
	s.largest = most.at
	return s, nil
}

// estimates finds what is not counted exactly.
func (s *subject) estimates() {
	for _, r := range s.stats.Records {
		if m, ok := r.Key.(features.Mem); ok && m.Space == kernel.Global {
			if _, err := s.stats.Footprint([]features.Record{r}, s.Sizes[0]); err != nil {
				s.irregular = true
				s.notes = addOnce(s.notes, warning.Estimated.About("", "kernel %s, %v; its elements are estimated", s.Variant.Name, err))
			}
		}
	}
	s.notes = append(s.notes, dataDependence(s.Variant.Name, s.ir)...)
}

// dataDependence says which accesses of a kernel depend on data: they are measured with the loads of that data, and with other data they
// would take another time.
func dataDependence(name string, k *kernel.Kernel) (notes []string) {
	note := func(about any, format string, args ...any) {
		notes = addOnce(notes, warning.Estimated.About(fmt.Sprintf("kernel %s, %v", name, about), format, args...))
	}
	for _, s := range k.Statements {
		for _, p := range s.Predicates {
			if a := readsOf(k, p); a != "" {
				note("statement "+s.ID, "runs where %s, which depends on the data in %s; counted as if it always ran", p, a)
			}
		}
		for _, acc := range slices.Concat(k.Reads(s), k.Writes(s)) {
			if k.SpaceOf(acc.Array) != kernel.Global {
				continue
			}
			for _, i := range acc.Index {
				if a := readsOf(k, i); a != "" {
					note(acc, "the elements depend on data, %s; the access is measured with the data given", a)
				}
			}
		}
	}
	return notes
}

// readsOf names an array or variable that e reads, "" for none.
func readsOf(k *kernel.Kernel, e expr.Expr) string {
	for _, a := range k.Reads(&kernel.Stmt{RHS: e}) {
		return a.Array
	}
	return ""
}

// traffic is the number of accesses to global memory at a size, weighted by their cost.
func (s *subject) traffic(at map[string]int64) (float64, error) { return s.weighted(s.global(), at) }

func (s *subject) weighted(records []features.Mem, at map[string]int64) (sum float64, err error) {
	for _, m := range records {
		n, err := s.count(m, at)
		if err != nil {
			return 0, err
		}
		sum += n * s.weight(m)
	}
	return sum, nil
}

// global lists the records of accesses to global memory.
func (s *subject) global() []features.Mem { return s.memory(kernel.Global) }

func (s *subject) memory(space kernel.Space) []features.Mem {
	var out []features.Mem
	for _, r := range s.stats.Records {
		if m, ok := r.Key.(features.Mem); ok && m.Space == space {
			out = append(out, m)
		}
	}
	return out
}

// count is how often a record occurs at a size.
func (s *subject) count(key features.Key, at map[string]int64) (float64, error) {
	for _, r := range s.stats.Records {
		if r.Key == key {
			return r.At(at)
		}
	}
	return 0, nil
}

// groups is the number of work-groups at a size.
func (s *subject) groups(at map[string]int64) (float64, error) {
	return valueOf(s.stats, "f_thread_groups", at)
}

// weight is the approximate cost of an access, relative to an access to neighbouring elements by neighbouring work-items. One
// element for a whole sub-group is counted once and takes as long as the sub-group's accesses together; with larger strides each
// work-item moves a sector of 32 bytes of its own.
func (s *subject) weight(m features.Mem) float64 {
	switch m.LStrides.Along(0) {
	case "0":
		return float64(s.lanes)
	case "1", "-1":
		return 1
	}
	return max(1, 32/float64(m.DType.Size()))
}

// loopOf names the sequential loops around the accesses of a record.
func (s *subject) loopOf(m features.Mem) string {
	for _, stmt := range s.ir.Statements {
		list := s.ir.Reads(stmt)
		if m.Direction == features.Store {
			list = s.ir.Writes(stmt)
		}
		for _, a := range list {
			if a.Array == m.Variable && a.Tag == m.Tag {
				inames := slices.DeleteFunc(slices.Clone(stmt.Inames), func(n string) bool { return s.ir.Tags[n].Parallel() })
				slices.Sort(inames)
				return strings.Join(inames, ",")
			}
		}
	}
	return ""
}

// dtypes lists the types of the arrays in global memory.
func (s *subject) dtypes() (list []expr.DType) {
	for _, m := range s.global() {
		list = addOnce(list, m.DType)
	}
	slices.Sort(list)
	return list
}
