package explore

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
	"gpuperf/launch"
	"gpuperf/lift"
	"gpuperf/lift/rank"
	"gpuperf/samples"
	"gpuperf/workload"
)

// describeSeeds is how many seeds are tried: samples do not record the seed of their exploration, but the names of variants do
// not depend on it.
const describeSeeds = 8

// Recorded are the variants that samples are of, each once: vectors that Redescribe gives their values. Of those with a known vector, the
// benchmark and the predicted time stay.
func Recorded(set *samples.Set, known []rank.Vector) (list []rank.Vector, err error) {
	old := map[rank.VectorKey]rank.Vector{}
	for _, v := range known {
		old[v.Key()] = v
	}
	seen := map[rank.VectorKey]bool{}
	for r, err := range set.All() {
		if err != nil {
			return nil, err
		}
		v := rank.Vector{Kernel: r.Kernel, SourceHash: r.SourceHash, Options: r.Options}
		key := v.Key()
		if r.IsSentinel() || r.Kernel.Variant == "" || seen[key] { // a configuration without kernels has no variant
			continue
		}
		seen[key] = true
		v.Benchmark, v.Predicted = old[key].Benchmark, old[key].Predicted
		list = append(list, v)
	}
	return list, nil
}

// RedescribeFiles is Redescribe for the programs of files. It returns the number of vectors of each program. The list is that of a file, which errors
// name: it is an error if a variant cannot be derived again, or if one that had a vector is of a program that is not given.
func RedescribeFiles(path string, programs []string, list []rank.Vector, opt Options, static launch.Options) ([]rank.Vector, map[string]int, error) {
	given := map[string]bool{}
	for _, program := range programs {
		given[filepath.Base(program)] = true
		p, err := lift.Load(program)
		if err != nil {
			return nil, nil, err
		}
		before := len(list)
		var errs []error
		if list, errs = Redescribe(p, filepath.Base(program), list, opt, static); len(list) < before {
			first := errs[slices.IndexFunc(errs, func(err error) bool { return err != nil })]
			return nil, nil, fmt.Errorf("%s: %d of the variants of %s cannot be derived again, the first because: %w", path, before-len(list), p.Name, first)
		}
	}
	count := map[string]int{}
	var out []rank.Vector
	for _, x := range list {
		switch {
		case given[x.Kernel.Source]:
			count[x.Benchmark]++
			out = append(out, x)
		case x.Benchmark != "":
			return nil, nil, source.At(path, "", source.Pos{}, "it has variants of %s: give that program", x.Kernel.Source)
		}
	}
	return out, count, nil
}

// Redescribe derives the vectors of points of a program, of a file of that name, as variants were when they ran; this adds vectors that
// are not there, and features that did not exist. Vectors of other programs in the list are returned unchanged. The options must be those of
// the exploration, except for the seed, which is the first of those tried. Predicted times are kept. A variant whose source is
// generated differently today than when it was run is left out, with an error at its index.
func Redescribe(p *lift.Program, file string, list []rank.Vector, opt Options, static launch.Options) ([]rank.Vector, []error) {
	errs := make([]error, len(list))
	out := slices.Clone(list)
	bySizes := map[string][]int{}
	for i, v := range list {
		if v.Kernel.Source != file {
			continue
		}
		key := workload.FormatSizes(v.Kernel.Sizes)
		bySizes[key] = append(bySizes[key], i)
	}
	for _, left := range bySizes {
		for try := range describeSeeds {
			with := opt
			with.Seed += int64(try)
			s, err := NewSpace(p, file, list[left[0]].Kernel.Sizes, with)
			if err != nil {
				for _, i := range left {
					errs[i] = err
				}
				break
			}
			parallel.For(len(left), func(k int) {
				i := left[k]
				out[i], errs[i] = s.redescribe(list[i], static)
			})
			left = slices.DeleteFunc(left, func(i int) bool { return errs[i] == nil })
			if len(left) == 0 {
				break
			}
		}
	}
	kept := out[:0]
	for i := range out {
		if errs[i] == nil {
			kept = append(kept, out[i])
		}
	}
	return kept, errs
}

func (s *Space) redescribe(old rank.Vector, static launch.Options) (rank.Vector, error) {
	fail := func(err error) (rank.Vector, error) {
		return old, fmt.Errorf("%s: %w", old.Kernel, err)
	}
	p, err := s.pointOf(old.Kernel)
	if err != nil {
		return fail(err)
	}
	s.describe([]*Point{p}, static)
	if err := s.same(p, old.SourceHash); err != nil {
		return fail(err)
	}
	out := *p.Vector
	out.Kernel, out.Options, out.Predicted = old.Kernel, old.Options, old.Predicted
	return out, nil
}

// same is an error if the source of a point is another one than was run.
func (s *Space) same(p *Point, ran string) error {
	job, err := s.Job(p, device.Policy{})
	if err != nil {
		return err
	}
	if hash := job.SourceHash(); hash != ran {
		return fmt.Errorf("another source is generated for it today (%.8s) than was run (%.8s)", hash, ran)
	}
	return nil
}

// Rederive derives the variant of a record of a program, as it is derived today. It is an error if none of the seeds of Redescribe gives it, or if another source
// is generated for it than was run. The options are as there; with the recipe of the record alone, which its tags name, it is found sooner.
func Rederive(p *lift.Program, r *samples.Record, opt Options) (err error) {
	opt.Interface = r.Device.Interface
	for try := range describeSeeds {
		with := opt
		with.Seed += int64(try)
		var s *Space
		if s, err = NewSpace(p, r.Kernel.Source, r.Kernel.Sizes, with); err != nil {
			return err
		}
		var point *Point
		if point, err = s.pointOf(r.Kernel); err == nil {
			point.Vector = &rank.Vector{}
			err = s.same(point, r.SourceHash)
		}
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", r.Kernel, err)
}

func (s *Space) pointOf(k samples.Identity) (*Point, error) {
	v, err := s.Variant(k.Variant)
	if err != nil {
		return nil, err
	}
	p := &Point{Variant: v}
	if p.Local, err = parseDims(k.Args["local"]); err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	if p.Global, err = parseDims(k.Args["global"]); err != nil {
		return nil, fmt.Errorf("global: %w", err)
	}
	return p, nil
}

// parseDims is the inverse of dims.
func parseDims(text string) ([3]int64, error) {
	out := [3]int64{1, 1, 1}
	parts := strings.Split(text, "x")
	if len(parts) > len(out) {
		return out, fmt.Errorf("%q has more than three dimensions", text)
	}
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 1 {
			return out, fmt.Errorf("%q is not an extent, such as 64x4", text)
		}
		out[i] = n
	}
	return out, nil
}
