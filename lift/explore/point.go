package explore

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"gpuperf/device"
	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel/emit"
	"gpuperf/launch"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/lower"
	"gpuperf/lift/rank"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Options bound a space. The zero value is the default.
type Options struct {
	Variants int // 0 is 1000
	Ranges   int // the most ND-ranges of a variant; 0 is 10
	Seed     int64
	// MaxGroup is the largest work-group, MaxLocal its local memory in bytes; 0 are those of the usual machine.
	MaxGroup, MaxLocal int64
	// Recipes are those of which there are variants; nil for all.
	Recipes []string
	// Data is what inputs hold instead of random numbers, by the names of the arguments of kernels.
	Data map[string]Data
	// Expected are files with the results, in place of a reference variant's; Tolerance is how far results may be from these, relative: 0 is 1e-5,
	// or 1e-4 for programs with reductions.
	Expected  []device.Arg
	Tolerance float64
	// Interface is that of the device which sources are for.
	Interface samples.Interface
	// Exact has divisions and square roots of float32 rounded correctly, which cost more than those that OpenCL C promises.
	Exact bool
}

func (o Options) withDefaults() Options {
	o.Variants, o.Ranges, o.MaxGroup = cmp.Or(o.Variants, 1000), cmp.Or(o.Ranges, 10), cmp.Or(o.MaxGroup, machine.Of(nil).MostItems)
	return o
}

// Space is the design points of a program at given sizes.
type Space struct {
	Program *lift.Program
	Source  string // the program's file, part of the identity of samples
	Sizes   map[string]int64
	Derived *derive.Result
	Points  []*Point

	cost *rank.CostModel // predicts the times of points from their static features; nil for none
	// predict, if not nil and cost is nil, predicts the time of a kernel in seconds; the time of a point is the sum over its kernels. It is called concurrently.
	predict func(*workload.Case) (float64, error)
	names   []string // of the features of vectors
	static  launch.Options
	options Options
	at      *sync.Map // what is the same for many points: of a variant func() (*lower.Fixed, error), of the program its data
}

// Range is an ND-range: work-items of a work-group, and of the launch; 0 where they are to be inferred from the variant's maps.
type Range struct{ Local, Global [3]int64 }

// Point is a variant with an ND-range. Prepare derives the rest.
type Point struct {
	Variant *derive.Variant
	Range

	Vector *rank.Vector // its source hash and options are empty until Job is called
	Err    error        // the reason why it cannot be lowered or described

	once sync.Once
}

// NewSpace derives the variants of a program and chooses their ND-ranges, in a fixed order for a seed.
func NewSpace(p *lift.Program, source string, sizes map[string]int64, opt Options) (*Space, error) {
	opt = opt.withDefaults()
	s := &Space{Program: p, Source: source, Sizes: sizes, options: opt, at: &sync.Map{}}
	var err error
	if s.Derived, err = derive.Derive(p, s.derivation(opt.Variants)); err != nil {
		return nil, err
	}
	known := map[extents][]Range{}
	for i, v := range s.Derived.Variants {
		rng := rand.New(rand.NewPCG(uint64(opt.Seed), uint64(i)))
		e := extents{lower.ExtentsOf(v.Program.Body, sizes)}
		if known[e] == nil {
			known[e] = e.ranges(opt.MaxGroup)
		}
		for _, r := range e.choose(known[e], opt.Ranges, rng) {
			s.Points = append(s.Points, &Point{Variant: v, Range: r})
		}
	}
	if len(s.Points) == 0 {
		return nil, fmt.Errorf("program %s has no variant at %s%s", p.Name, workload.FormatSizes(sizes), whyNone(s.Derived))
	}
	return s, nil
}

// whyNone is the most frequent reason why nothing was derived.
func whyNone(r *derive.Result) string {
	most := ""
	for _, why := range slices.Sorted(maps.Keys(r.Refused)) {
		if most == "" || r.Refused[why] > r.Refused[most] {
			most = why
		}
	}
	if most == "" {
		return fmt.Sprintf(": the numbers of its %d recipes, such as the lengths of chunks, find no divisors there", r.Recipes)
	}
	return fmt.Sprintf(": of %d attempts %d failed with %q", r.Tried, r.Refused[most], most)
}

func (s *Space) derivation(count int) derive.Options {
	return derive.Options{Count: count, Seed: s.options.Seed, Sizes: s.Sizes, MaxGroup: s.options.MaxGroup, MaxLocal: s.options.MaxLocal, Recipes: s.options.Recipes}
}

// Variant returns the variant with an identifier or with a unique prefix of one.
func (s *Space) Variant(id string) (*derive.Variant, error) {
	var found []*derive.Variant
	for _, v := range s.Derived.Variants {
		if v.ID == id {
			return v, nil
		}
		if id != "" && strings.HasPrefix(v.ID, id) {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("program %s has no variant %q among the %d derived: see `perf lift derive`", s.Program.Name, id, len(s.Derived.Variants))
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%d variants of program %s begin with %q", len(found), s.Program.Name, id)
}

// String names the extents that differ from 1: 64x4 of 4096x1024.
func (r Range) String() string { return dims(r.Local) + " of " + dims(r.Global) }

func dims(n [3]int64) string {
	switch {
	case n[2] > 1:
		return fmt.Sprintf("%dx%dx%d", n[0], n[1], n[2])
	case n[1] > 1:
		return fmt.Sprintf("%dx%d", n[0], n[1])
	}
	return fmt.Sprint(n[0])
}

// Problem is the part of the identity of samples that all points share: the program, its sizes and its data.
func (s *Space) Problem() samples.Identity {
	return samples.Identity{Source: s.Source, Sizes: s.Sizes, Args: dataArgs(s.options.Data)}
}

// Problem is that of samples of an identity.
func Problem(k samples.Identity) samples.Identity {
	k.Variant, k.Args = "", maps.Clone(k.Args)
	maps.DeleteFunc(k.Args, func(name, _ string) bool { return !strings.HasPrefix(name, dataPrefix) })
	return k
}

// Identity is the identity of the point's samples.
func (s *Space) Identity(p *Point) samples.Identity {
	k := s.Problem()
	k.Variant, k.Args["local"], k.Args["global"] = p.Variant.ID, dims(p.Local), dims(p.Global)
	return k
}

// Lower lowers a variant for an ND-range.
func (s *Space) Lower(p *Point) (*lower.Lowered, error) {
	f, err := s.fixed(p.Variant)
	if err != nil {
		return nil, err
	}
	return f.Lower(p.Local, p.Global)
}

// fixed is a variant at the sizes, shared by its points.
func (s *Space) fixed(v *derive.Variant) (*lower.Fixed, error) {
	f, ok := s.at.Load(v)
	if !ok { // points of a variant are prepared concurrently: one of them computes it for all
		f, _ = s.at.LoadOrStore(v, sync.OnceValues(func() (*lower.Fixed, error) { return lower.Fix(v.Program, s.Sizes) }))
	}
	return f.(func() (*lower.Fixed, error))()
}

// For makes the sources of the space those for an interface.
func (s *Space) For(face samples.Interface) { s.options.Interface = face }

// Accuracy is that of divisions and square roots: programs are promised what OpenCL C promises, whichever the interface is.
func (s *Space) Accuracy() emit.Accuracy {
	if s.options.Exact {
		return emit.Exact
	}
	return emit.AsOpenCL
}

// Job is the launch of a prepared point.
func (s *Space) Job(p *Point, policy device.Policy) (_ device.Job, err error) {
	defer throw.Catch(&err)
	if p.Err != nil {
		return device.Job{}, p.Err
	}
	_, c := throw.Get2(s.lowered(p))
	job := throw.Get(c.Job(policy))
	job.Reuse, job.Whole = true, true
	p.Vector.SourceHash, p.Vector.Options = job.SourceHash(), job.Options
	return job, nil
}

// extents are those of a variant's maps.
type extents struct{ lower.Extents }

// Bounds of launches: work-groups of at least leastGroup items and launches of at least leastItems, if there is enough work;
// and at most mostTrips elements for an item or a group along a dimension.
const (
	leastGroup  = 32      // a sub-group
	leastItems  = 1 << 15 // about an eighth of what a large device runs at once
	mostTrips   = 16      // iterations of a loop over what one work-item or group leaves
	mostFitting = 8       // work-groups: with more, powers of two leave few work-items idle
)

// ranges lists the ND-ranges that suit maps of these extents.
func (e extents) ranges(maxGroup int64) []Range {
	var locals [3][]int64
	most := int64(1) // the items of the largest group
	for d := range 3 {
		longest := max(e.Lcl[d], 1)
		if e.Glb[d] > 0 {
			longest = max(longest, e.Glb[d])
		}
		for l := int64(1); l <= min(longest, maxGroup); l *= 2 {
			locals[d] = append(locals[d], l)
		}
		if l := e.Lcl[d]; l > 0 && l <= maxGroup && !slices.Contains(locals[d], l) {
			locals[d] = append(locals[d], l)
		}
		if d == 0 {
			locals[d] = append(locals[d], fitting(e.Glb[d], maxGroup)...)
		}
		most *= slices.Max(locals[d])
	}
	least := min(leastGroup, most)
	all := make([]Range, 0, 256)
	for _, l0 := range locals[0] {
		for _, l1 := range locals[1] {
			for _, l2 := range locals[2] {
				if n := l0 * l1 * l2; n < least || n > maxGroup || (l2 > 8 && e.Lcl[2] == 0) {
					continue
				}
				all = launches(all, e, [3]int64{l0, l1, l2})
			}
		}
	}
	return all
}

// fitting are extents of work-groups, in whole sub-groups, with which at most mostFitting work-groups cover n work-items and fewer idle than with powers of two: 288 for
// 257 work-items, of which groups of 256 leave half idle.
func fitting(n, most int64) (list []int64) {
	idle := int64(math.MaxInt64)
	for l := int64(2 * leastGroup); l <= most; l *= 2 {
		idle = min(idle, intmath.CeilDiv(n, l)*l-n)
	}
	for groups := int64(1); n > 0 && groups <= mostFitting; groups++ {
		l := intmath.CeilDiv(intmath.CeilDiv(n, groups), leastGroup) * leastGroup
		if l >= 2*leastGroup && l <= most && intmath.CeilDiv(n, l)*l-n < idle && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

// choose takes some of the ND-ranges at random.
func (e extents) choose(of []Range, count int, rng *rand.Rand) []Range {
	all := slices.Clone(of)
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	// Of several dimensions half are natural. They come first, in their random order.
	if e.Glb[1] > 0 || e.Glb[2] > 0 {
		natural := 0
		for i := 0; i < len(all) && natural < count/2; i++ {
			if e.natural(all[i]) {
				all[natural], all[i] = all[i], all[natural]
				natural++
			}
		}
	}
	// The plain range is always included: consecutive work-items along dimension 0, one per element.
	if i := slices.IndexFunc(all, e.plain); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	return all[:min(count, len(all))]
}

// natural reports whether a range has a work-item for every element, and groups of 64 to 512 of which whole sub-groups lie along
// dimension 0, where at most an eighth of the work-items is idle.
func (e extents) natural(r Range) bool {
	items := int64(1)
	for d := range 3 {
		if r.Global[d] != r.Local[d]*max(1, e.Wrg[d], (e.Glb[d]+r.Local[d]-1)/r.Local[d]) {
			return false
		}
		items *= r.Local[d]
	}
	idle := r.Global[0] - max(r.Local[0]*e.Wrg[0], e.Glb[0])
	return r.Local[0] >= leastGroup && items >= 64 && items <= 512 && 8*idle <= r.Global[0]
}

// plain reports whether a range is the natural one for the maps: groups as large as mapLcl's array, or of up to 256 along
// dimension 0, and one element per item.
func (e extents) plain(r Range) bool {
	for d := range 3 {
		local := int64(1)
		switch {
		case e.Lcl[d] > 0:
			local = e.Lcl[d]
		case d == 0 && e.Glb[d] > 0:
			for local < 256 && 2*local <= e.Glb[d] {
				local *= 2
			}
		}
		if r.Local[d] != local || r.Global[d] != local*max(1, e.Wrg[d], (e.Glb[d]+local-1)/local) {
			return false
		}
	}
	return true
}

// launches adds the launches with work-groups of a shape: with as many groups as there is work for, or fewer.
func launches(out []Range, e extents, local [3]int64) []Range {
	var groups [3]int64
	total := int64(1)
	for d := range 3 {
		groups[d] = max(1, e.Wrg[d], (e.Glb[d]+local[d]-1)/local[d])
		total *= groups[d] * local[d]
	}
	for t0 := int64(1); t0 <= mostTrips && t0 <= groups[0]; t0 *= 2 {
		for t1 := int64(1); t1 <= mostTrips && t1 <= groups[1]; t1 *= 2 {
			r := Range{Local: local}
			items := int64(1)
			for d, t := range [3]int64{t0, t1, 1} {
				r.Global[d] = (groups[d] + t - 1) / t * local[d]
				items *= r.Global[d]
			}
			if items >= min(leastItems, total) {
				out = append(out, r)
			}
		}
	}
	return out
}
