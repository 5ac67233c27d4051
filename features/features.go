// Package features counts what a kernel does, symbolically in its sizes, and names the counts.
//
// Count makes the Statistics of a kernel, Occurrences.CountAt those at given sizes alone: records of operations, memory
// accesses (mem.go), synchronization (sync.go) and footprints (lines.go). A record is a comparable key (record.go) and an exact piecewise
// quasi-polynomial: occurrences in the text times the multiplicity of their statement (multiplicity.go), under the
// conditions of branches where these are to be exact (branches.go). A feature identifier f_… (id.go, parse.go) selects among
// the records (select.go); Statistics.Value evaluates the selection at sizes (value.go), also as accesses per element,
// footprint, or cache lines and sectors that sub-groups touch (lines.go); in addition to records there are
// the chains of dependent operations in loops (loops.go, loop_chain.go). JSON and Write print all records (print.go).
//
// The table of classes (class.go) says for each class how identifiers are read, what they select and how values are found. Features of
// StaticClass are totals of package launch, which walks the program at given sizes.
package features

import (
	"fmt"
	"slices"
	"sync"

	"gpuperf/device/facts"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/matrix"
	"gpuperf/kernel/transform"
	"gpuperf/launch"
	"gpuperf/polycount"
)

// Options say how to count. They are comparable; the zero value is the default.
type Options struct {
	// Device is the device of features of StaticClass. If it is nil, features that depend on it are errors.
	Device *facts.Device
	// SubgroupSize is the number of work-items that run together; 0 is 32.
	SubgroupSize int
	// NoMadd counts additions and multiplications separately where they form a multiply-add.
	NoMadd bool
	// RedundantWork counts a statement for every work-item and group also where it does not depend on them and writes
	// memory that they share, so that one run would do.
	RedundantWork bool
	// IndexOps counts the arithmetic in array indices as it is written.
	IndexOps bool
	// ExactBranches counts work under a condition, a predicate or a select only where it holds, as far as the
	// condition is affine, and counts the operations and loads of predicates; per sub-group it counts iterations of loops in lock step.
	// The default counts both sides of a branch, no predicates, and each value of a loop's iname once for all work-items.
	ExactBranches bool
	// FreeControl leaves out the operations of affine conditions: like the bounds of loops they are control, not work.
	FreeControl bool
	// Least counts what every implementation has to do: of operations one for each statement that adds to or multiplies a floating-point
	// variable which its own loops change, as compilers may share or hoist the others, no barriers, and nothing under a condition that
	// depends on data. Branches are exact.
	Least bool
	// Within selects the statements whose operations and accesses are counted, as in "tag:fetch or writes:c" (kernel.Match);
	// "" counts all.
	Within string
	// Footprint adds records of the distinct elements that are read and written.
	Footprint bool
	// Lines adds the cache lines and sectors that sub-groups touch to the JSON of accesses to global memory. The features of these
	// do not depend on it.
	Lines bool
}

// Statistics are the counts of one kernel. They are safe for use by several goroutines; fields are not to be changed.
type Statistics struct {
	Kernel       string
	SubgroupSize int
	// Records in a fixed order: operations, memory accesses, synchronization, footprints, each sorted by key.
	Records []Record
	// Groups is the number of work-groups.
	Groups *polycount.Poly
	// Params are the sizes that counts, strides and assumptions depend on, in the kernel's order.
	Params []string
	// Warnings say what could not be counted, and why; a feature that needs it is an error. They also say why a kernel
	// that can be counted cannot run.
	Warnings []error

	c      *counter
	failed []failure
	sites  map[Mem][]site
	valid  *polycount.Evaluator // 1 where the assumptions hold; nil without any
	groups *polycount.Evaluator
	evals  []*polycount.Evaluator // of Records

	// What is derived once from the records and evaluated often.
	mu    sync.Mutex
	plans map[ID]*plan
	afrs  map[Mem]*ratio
	moved struct { // by the accesses of the launch, at some sizes
		at    string
		units map[launch.Occurrence]launch.Units
	}
	invariant map[Mem]*evaluator      // counts of hoisted accesses
	prints    map[string][]*evaluator // footprints by records
	loops     func() ([]*loopFacts, error)
}

// remember returns what is in the map under a key, and makes it if it is not.
func remember[K comparable, V any](s *Statistics, in map[K]V, key K, make func() V) V {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := in[key]
	if !ok {
		v = make()
		in[key] = v
	}
	return v
}

// Count counts a kernel, following Algorithm 1 of Stevens and Klöckner: what one execution of a statement does, times the
// number of integer points in the domain projected on the statement's inames. Operations and local accesses are counted
// once per sub-group, global accesses once per work-item, except that those with stride 0 along lid(0) are once per
// sub-group. Barriers are those that one work-item meets. Results hold under the kernel's assumptions.
func Count(k *kernel.Kernel, opt Options) (_ *Statistics, err error) {
	defer throw.Catch(&err)
	o := throw.Get(Find(k, opt))
	return o.count(nil), nil
}

// Occurrences are what the statements of a kernel do in one execution each, and where. It takes much less time to find how often that is at
// given sizes than at all. They are safe for use by several goroutines.
type Occurrences struct {
	c     *counter
	sites map[Mem][]site
}

// Find finds what Count counts.
func Find(k *kernel.Kernel, opt Options) (*Occurrences, error) {
	switch {
	case opt.SubgroupSize == 0:
		opt.SubgroupSize = launch.DefaultSubgroup
	case opt.SubgroupSize < 0:
		return nil, fmt.Errorf("a sub-group of %d work-items is not possible", opt.SubgroupSize)
	}
	k, err := transform.Prepare(k)
	if err == nil {
		k, err = matrix.Instructions(k)
	}
	if err != nil {
		return nil, err
	}
	opt.ExactBranches = opt.ExactBranches || opt.Least
	o := &Occurrences{newCounter(k, opt), map[Mem][]site{}}
	within, err := k.Match(opt.Within)
	if err != nil {
		return nil, err
	}
	for _, stmt := range within {
		if stmt.Kind != kernel.Assign {
			continue
		}
		if err := o.c.countOps(stmt); err != nil {
			return nil, fmt.Errorf("kernel %s: statement %s: %w", k.Name, stmt.ID, err)
		}
		if err := o.c.countMem(stmt, o.sites); err != nil {
			return nil, fmt.Errorf("kernel %s: statement %s: %w", k.Name, stmt.ID, err)
		}
	}
	return o, nil
}

// CountAt is [Count] at given sizes alone: the records are the same, with numbers as counts, and features have no values at other sizes. A
// record whose symbolic count takes too much work may well have a number.
func (o *Occurrences) CountAt(sizes map[string]int64) (_ *Statistics, err error) {
	defer throw.Catch(&err)
	at := map[string]int64{}
	for _, name := range o.c.k.Params() {
		if n, ok := sizes[name]; ok {
			at[name] = n
		}
	}
	return o.count(at), nil
}

func (o *Occurrences) count(at map[string]int64) *Statistics {
	c := o.c.to(at)
	s := &Statistics{
		Kernel: c.k.Name, SubgroupSize: c.opt.SubgroupSize, c: c, sites: o.sites,
		plans: map[ID]*plan{}, afrs: map[Mem]*ratio{}, invariant: map[Mem]*evaluator{}, prints: map[string][]*evaluator{},
	}
	s.loops = sync.OnceValues(s.findLoops)
	parts := []func() ([]Record, []failure){c.records, c.countSync}
	if c.opt.Footprint {
		parts = append(parts, c.countFootprints)
	}
	for _, part := range parts {
		records, failed := part()
		s.Records = append(s.Records, records...)
		s.failed = append(s.failed, failed...)
	}
	s.Warnings = append(s.Warnings, c.warnings...)
	for _, f := range s.failed {
		s.Warnings = append(s.Warnings, fmt.Errorf("kernel %s: %w", c.k.Name, f.err))
	}
	err := throw.Try(func() {
		s.Groups = c.gist(c.groups(nil))
		s.finish()
	})
	if err != nil {
		panic(throw.Errorf("kernel %s: %w", c.k.Name, err))
	}
	return s
}

// finish sorts the records and prepares evaluation.
func (s *Statistics) finish() {
	slices.SortStableFunc(s.Records, func(a, b Record) int { return compareKeys(a.Key, b.Key) })
	used := map[string]bool{}
	use := func(names []string) {
		for _, n := range names {
			used[n] = true
		}
	}
	for _, r := range s.Records {
		use(r.Count.Params())
	}
	use(s.Groups.Params())
	a := s.c.k.Assumptions
	if a != nil {
		use(a.Params())
	}
	for _, p := range s.c.k.Params() {
		if used[p] {
			s.Params = append(s.Params, p)
			delete(used, p)
		}
	}
	for p := range used {
		panic(throw.Errorf("a count depends on %s, which is no parameter of the kernel", p))
	}
	s.groups = s.Groups.Compile(s.Params)
	for i := range s.Records {
		r := &s.Records[i]
		s.evals = append(s.evals, r.Count.Compile(s.Params))
		r.compiled = &evaluator{params: s.Params, poly: s.evals[i]}
	}
	if a == nil {
		return
	}
	holds, err := a.Count()
	if err != nil {
		panic(throw.Errorf("assumptions: %w", err))
	}
	s.valid = holds.Compile(s.Params)
}
