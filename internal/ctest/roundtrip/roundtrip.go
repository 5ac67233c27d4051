// Package roundtrip is for tests: it writes a kernel as source, reads the source back, and compares the counts of the two kernels.
//
// Check does all of it. What the languages of the source do not have, and so may differ, stands in rules.go, each with its reason; all else is
// compared record by record: operations, memory accesses with their strides and granularity, barriers and footprints.
package roundtrip

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/ckernel"
	"gpuperf/features"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// asRun counts what a run does: of conditions that are control, nothing but what they let run.
var asRun = features.Options{ExactBranches: true, FreeControl: true, Footprint: true}

// source is a kernel as source, with what a launch of it says.
type source struct {
	*emit.Source
	nest     *linear.Nest
	language emit.Language
}

func write(k *kernel.Kernel, language emit.Language) (*source, error) {
	n, err := linear.New(k)
	if err != nil {
		return nil, err
	}
	s, err := emit.Write(n, emit.Options{Language: language})
	if err != nil {
		return nil, err
	}
	return &source{s, n, language}, nil
}

// read reads the source back.
func (s *source) read(ctx context.Context) (*kernel.Kernel, error) {
	name := "kernel.cl"
	if s.language == emit.CUDAC {
		name = "kernel.cu"
	}
	file, err := cfront.Parse(ctx, name, s.Text, cfront.Options{})
	if err != nil {
		return nil, err
	}
	opt := ckernel.Options{Kernel: s.Entry, Local: s.nest.Local[:], Groups: s.groups()}
	if s.Dynamic > 0 {
		opt.Dynamic = fmt.Sprint(s.Dynamic)
	}
	k := s.nest.Kernel
	if k.Assumptions != nil {
		opt.Assume = s.assumptions()
	}
	for _, a := range k.Averages {
		texts, err := s.trips(a)
		if err != nil {
			return nil, err
		}
		opt.Assume = append(opt.Assume, texts...)
	}
	return ckernel.Read(ctx, file, opt)
}

// groups are the numbers of work-groups as expressions.
func (s *source) groups() []string {
	var out []string
	for _, bounds := range s.nest.Groups {
		all := lists.Map(bounds, func(b polycount.Bound) string {
			return expr.FromAffine(s.renamed(b.Num).FloorDiv(b.Den).AddInt(1)).String()
		})
		text := all[0]
		for _, next := range all[1:] {
			text = fmt.Sprintf("minimum(%s, %s)", text, next)
		}
		out = append(out, text)
	}
	return out
}

// names maps the names of variables in the source to those of the kernel.
func (s *source) names() map[string]string {
	out := map[string]string{}
	k := s.nest.Kernel
	all := k.Params()
	for _, a := range k.Arrays() {
		all = append(all, a.Name)
	}
	for _, name := range all {
		at := name
		for !declares(s.Text, at) && len(at) < len(name)+4 { // emit appends underscores to names that the language has
			at += "_"
		}
		if declares(s.Text, at) {
			out[at] = name
		}
	}
	return out
}

// namesIn maps the names of variables of the kernel that was read back to those of the kernel: arguments by their places.
func (s *source) namesIn(back *kernel.Kernel) map[string]string {
	out := s.names()
	for i, a := range back.Args {
		if i < len(s.Params) {
			out[a.Name] = s.Params[i].Name
		}
	}
	return out
}

// declares reports whether a name stands in a text.
func declares(text, name string) bool {
	letter := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(name)
		if (from == 0 || !letter(text[from-1])) && (to == len(text) || !letter(text[to])) {
			return true
		}
		at = to
	}
}

// renamed is an affine expression in the names of the source.
func (s *source) renamed(a polycount.Affine) polycount.Affine {
	by := map[string]polycount.Affine{}
	for source, name := range s.names() {
		if source != name {
			by[name] = polycount.Name(source)
		}
	}
	return a.Subst(by)
}

// assumptions are those of the kernel in the names of the source.
func (s *source) assumptions() []string {
	var out []string
	list, _ := s.nest.Kernel.Assumptions.Constraints()
	for _, c := range list {
		op := " >= 0"
		if c.Equality {
			op = " = 0"
		}
		out = append(out, s.renamed(c.Affine).String()+op)
	}
	return out
}

// trips says the average trips of the loop that an average of the kernel is about, by its line: by several where an unrolled loop is around it.
func (s *source) trips(a kernel.Average) (texts []string, err error) {
	of, err := expr.ToAffine(a.Of, nil)
	if err != nil {
		return nil, err
	}
	var iname string
	var rest polycount.Affine
	var visit func(body []linear.Node)
	visit = func(body []linear.Node) {
		for _, n := range body {
			switch x := n.(type) {
			case *linear.Guard:
				visit(x.Body)
			case *linear.Loop:
				if len(x.Upper) == 1 && len(x.Lower) == 1 {
					more := x.Upper[0].Num.Sub(x.Lower[0].Num).AddInt(1).Sub(of)
					if !slices.ContainsFunc(more.Names(), s.nest.Kernel.IsTemp) {
						iname, rest = x.Iname, more
					}
				}
				visit(x.Body)
			}
		}
	}
	visit(s.nest.Body)
	for i, line := range strings.Split(s.Text, "\n") {
		if iname != "" && strings.HasPrefix(strings.TrimSpace(line), "for (") && declares(line, iname) {
			texts = append(texts, fmt.Sprintf("trips(%d) = %s + %s", i+1, a.Value, expr.FromAffine(s.renamed(rest))))
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("no loop has the trips %s", a.Of)
	}
	return texts, nil
}

// ErrNotWritten is a kernel that the language cannot hold, ErrNotRead a source that is not read back, ErrNotCounted a kernel that has loops whose trips depend
// on data and does not say how many they are.
var (
	ErrNotCounted = errors.New("it is not counted")
	ErrNotWritten = errors.New("it is not written")
	ErrNotRead    = errors.New("it is not read back")
)

// Check compares the counts of a kernel with those of its source, read back, at sizes: the values of symbolic counts, or counts at the sizes. The
// error tells all differences.
func Check(ctx context.Context, k *kernel.Kernel, language emit.Language, symbolic bool, sizes []map[string]int64) error {
	s, err := write(k, language)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	}
	if k := s.nest.Kernel; len(k.Averages) == 0 && len(k.Bounds(k.Inames())) > 0 {
		return ErrNotCounted
	}
	back, err := s.read(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotRead, err)
	}
	written, err := asWritten(s.nest.Kernel)
	if err != nil {
		return err
	}
	want, err := newCounters(written, symbolic)
	if err != nil {
		return err
	}
	got, err := newCounters(back, symbolic)
	if err != nil {
		return fmt.Errorf("what was read back is not counted: %w", err)
	}
	names := s.namesIn(back)
	var all []error
	for _, at := range sizes {
		there := map[string]int64{}
		for source, name := range names {
			if n, ok := at[name]; ok {
				there[source] = n
			}
		}
		a, err := counts(want, at, s.rules(nil, at))
		if err != nil {
			return err
		}
		b, err := counts(got, there, s.rules(names, there))
		if err != nil {
			return fmt.Errorf("what was read back is not counted at %v: %w", at, err)
		}
		if diff := differences(a, b); diff != "" {
			all = append(all, fmt.Errorf("at %v, -original +source:\n%s", at, diff))
		}
	}
	return errors.Join(all...)
}

// counter counts a kernel, once for all sizes or for each.
type counter struct {
	all   *features.Statistics // nil where it counts at sizes
	found *features.Occurrences
}

// newCounters are the counters of a kernel and of its canonical form, of which synchronization does not count.
func newCounters(k *kernel.Kernel, symbolic bool) (list [2]counter, err error) {
	if list[0], err = newCounter(k, symbolic); err != nil {
		return list, err
	}
	if k, err = canonical(k); err != nil {
		return list, err
	}
	list[1], err = newCounter(k, symbolic)
	return list, err
}

func newCounter(k *kernel.Kernel, symbolic bool) (c counter, err error) {
	if c.found, err = features.Find(k, asRun); err != nil || !symbolic {
		return c, err
	}
	c.all, err = features.Count(k, asRun)
	if err == nil && slices.ContainsFunc(c.all.Warnings, func(w error) bool { return errors.Is(w, polycount.ErrBudget) }) {
		c.all = nil
	}
	return c, err
}

// count is the number of a record, whether it is a footprint, and whether it is not known.
type count struct {
	n                  float64
	footprint, unknown bool
}

// counts are the records at sizes, under the rules, that are not 0.
func counts(list [2]counter, at map[string]int64, rule func(features.Key) features.Key) (map[string]count, error) {
	out := map[string]count{}
	for i, c := range list {
		s := c.all
		if s == nil {
			var err error
			if s, err = c.found.CountAt(at); err != nil {
				return nil, err
			}
		}
		for _, key := range s.Uncounted() {
			if key = rule(key); key != nil {
				out[key.String()] = count{unknown: true}
			}
		}
		for _, r := range s.Records {
			n, err := r.At(at)
			if err != nil {
				return nil, err
			}
			if _, sync := r.Key.(features.Sync); sync != (i == 0) {
				continue
			}
			if key := rule(r.Key); key != nil && n != 0 {
				_, footprint := key.(features.Footprint)
				out[key.String()] = count{out[key.String()].n + n, footprint, out[key.String()].unknown}
			}
		}
	}
	return out, nil
}

// differences lists the records that differ. Footprints are compared where both kernels have them, and nothing where the kernel's own number is not known.
func differences(a, b map[string]count) string {
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		x, y := a[k], b[k]
		if x.n != y.n && !x.unknown && (!x.footprint && !y.footprint || x.n != 0 && y.n != 0) {
			lines = append(lines, fmt.Sprintf("  %s: -%g +%g", k, x.n, y.n))
		}
	}
	return strings.Join(lines, "\n")
}
