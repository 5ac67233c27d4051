package explore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gpuperf/device"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/lower"
	"gpuperf/samples"
	"gpuperf/workload"
)

// The relative tolerances of results: sums in different orders differ more than single operations do.
const (
	sumTolerance  = 1e-4 // a few thousand terms of single precision, each rounded
	elemTolerance = 1e-5 // some tens of roundings of single precision
	// where numbers of half precision are computed with
	halfSumTolerance  = 2e-2
	halfElemTolerance = 4e-3 // four roundings of half precision
)

// tolerance is that of a program's results.
func tolerance(p *lift.Program) float64 {
	sums, half := p.Body.Ops()&(lift.Reductions|lift.Scans) != 0, false
	for _, t := range append(inputTypes(p), p.Body.Type) {
		half = half || slices.ContainsFunc(lift.Components(t), func(c *lift.Type) bool { return c.DType == expr.Float16 })
	}
	switch {
	case half && sums:
		return halfSumTolerance
	case half:
		return halfElemTolerance
	case sums:
		return sumTolerance
	}
	return elemTolerance
}

// Reference is the variant that the results of others are compared with: the simplest of those derived, if possible without local
// memory and vectors, and with short chains of additions, and such that it can be lowered.
type Reference struct {
	*Point
	Tolerance float64
	space     *Space
}

// plain orders variants by how likely they are to be wrong, and by the rounding of their sums.
func plain(v *derive.Variant, sizes map[string]int64) (key [4]int64) {
	lift.Walk(v.Program.Body, lift.AnyOp, func(t *lift.Term) {
		switch t.Op {
		case lift.AsVector, lift.MapSeqSlide, lift.Gather, lift.Scatter:
			key[0]++
		case lift.ToLocal, lift.MapWrg, lift.ToPrivate, lift.MapSeq, lift.MapSeqUnroll:
			key[1]++
		case lift.ReduceSeq, lift.ReduceSeqUnroll, lift.ScanSeq, lift.ScanBeforeSeq:
			n, err := t.Arg().Type.Len.Eval(sizes)
			if err != nil {
				n = math.MaxInt32
			}
			key[2] = max(key[2], n)
		}
	})
	key[3] = int64(v.Program.Body.Size())
	if key[2] > 1<<16 { // rounding makes such a long sum wrong
		key[0] += key[2]
	}
	return key
}

// Reference chooses the reference variant.
func (s *Space) Reference() (*Reference, error) {
	variants, err := s.plainest()
	if err != nil {
		return nil, err
	}
	r := &Reference{Tolerance: cmp.Or(s.options.Tolerance, tolerance(s.Program)), space: s}
	var first error
	for _, v := range variants {
		r.Point = &Point{Variant: v}
		_, _, err := s.lowered(r.Point)
		if err == nil {
			return r, nil
		}
		first = cmp.Or(first, fmt.Errorf("variant %s: %w", v.ID, err))
	}
	return nil, fmt.Errorf("no variant can be the reference; the plainest is not: %w", first)
}

// sorted keeps the latest results of plainest for lists of the usual length. The commands of one process, such as requests to perf serve, ask again and again for the
// small sizes at which references are verified, and nothing changes a variant.
var sorted struct {
	sync.Mutex
	lists []sortedList // the latest last
}

type sortedList struct {
	of       string // program and options
	variants []*derive.Variant
}

// Enough variants have all recipes among them. A space that is asked for its reference alone derives so many, and the reference is chosen from these.
const Enough = 1500

// plainest derives variants of all recipes, the plainest first: they may be anywhere in the enumeration, so many are derived.
func (s *Space) plainest() ([]*derive.Variant, error) {
	const kept = 6 // lists that are kept
	opt := s.derivation(max(Enough, len(s.Derived.Variants)))
	opt.Recipes = nil
	of := fmt.Sprintf("%s %+v", s.Program, opt)
	sorted.Lock()
	i := slices.IndexFunc(sorted.lists, func(l sortedList) bool { return l.of == of })
	if i >= 0 {
		defer sorted.Unlock()
		return sorted.lists[i].variants, nil
	}
	sorted.Unlock() // others need not wait for what is derived
	all := s.Derived
	if s.options.Variants != opt.Count || s.options.Recipes != nil {
		var err error
		if all, err = derive.Derive(s.Program, opt); err != nil {
			return nil, err
		}
	}
	keys := map[*derive.Variant][4]int64{}
	for _, v := range all.Variants {
		keys[v] = plain(v, s.Sizes)
	}
	variants := slices.SortedFunc(slices.Values(all.Variants), func(a, b *derive.Variant) int {
		x, y := keys[a], keys[b]
		return cmp.Or(slices.Compare(x[:], y[:]), cmp.Compare(a.ID, b.ID))
	})
	if opt.Count == Enough {
		sorted.Lock()
		defer sorted.Unlock()
		sorted.lists = append(sorted.lists[max(0, len(sorted.lists)-kept+1):], sortedList{of, variants})
	}
	return variants, nil
}

// Expect is the job of the reference, with which jobs of other variants are compared, or the results that the user has given.
func (r *Reference) Expect() (*device.Expect, error) {
	if given := r.space.options.Expected; len(given) > 0 {
		e := &device.Expect{Given: given, Tolerance: r.Tolerance}
		var files []string
		contents := sha256.New()
		for _, a := range given {
			e.Results, files = append(e.Results, a.Name), append(files, filepath.Base(a.File.Path))
			contents.Write([]byte(a.File.Hash))
		}
		e.Job.Identity = samples.Identity{Source: strings.Join(files, "+"), Args: map[string]string{"sha256": hex.EncodeToString(contents.Sum(nil))[:16]}}
		return e, nil
	}
	l, c, err := r.space.lowered(r.Point)
	if err != nil {
		return nil, fmt.Errorf("reference variant %s: %w", r.Variant.ID, err)
	}
	job, err := c.Job(device.Policy{})
	if err != nil {
		return nil, fmt.Errorf("reference variant %s: %w", r.Variant.ID, err)
	}
	e := &device.Expect{Job: job, Tolerance: r.Tolerance}
	for _, a := range l.Outputs {
		e.Results = append(e.Results, a.Name)
	}
	return e, nil
}

// Given reports whether the user has given the results.
func (s *Space) Given() bool { return len(s.options.Expected) > 0 }

// Verified compares the reference with the meaning of the program at a small size, the sizes that it returns, and returns what variants are compared
// with. Where the meaning is not defined, or the device takes too long twice, a warning says so.
func (r *Reference) Verified(ctx context.Context, dev device.Device, warnings *[]string) (*device.Expect, map[string]int64, error) {
	at, err := r.space.Verify(ctx, dev)
	e, _ := device.AsError(err)
	switch {
	case e != nil && e.Status == samples.Timeout && ctx.Err() == nil: // twice
		*warnings = append(*warnings, warning.Unverified.Error(fmt.Errorf("the reference is not compared with the semantics of the program: %w", err)).Error())
	case errors.Is(err, lift.ErrUndefined):
		*warnings = append(*warnings, NotVerified(err).Error())
	case err != nil:
		return nil, nil, err
	}
	expect, err := r.Expect()
	return expect, at, err
}

func inputTypes(p *lift.Program) (out []*lift.Type) {
	return lists.Map(p.Inputs, func(in lift.Param) *lift.Type { return in.Type })
}

// Elements counts the scalars of a value of a type with constant lengths; math.MaxInt64 if they overflow.
func Elements(t *lift.Type) int64 {
	switch t.Kind {
	case lift.ArrayType:
		n, ok := t.Len.Const()
		each := Elements(t.Elem)
		if !ok || n > 0 && each > math.MaxInt64/n {
			return math.MaxInt64
		}
		return n * each
	case lift.TupleType:
		return sumElements(t.Elems)
	case lift.VectorType:
		return int64(t.Width)
	}
	return 1
}

// sumElements counts the scalars of values of several types.
func sumElements(list []*lift.Type) (sum int64) {
	for _, t := range list {
		n := Elements(t)
		if n > math.MaxInt64-sum {
			return math.MaxInt64
		}
		sum += n
	}
	return sum
}

// NotVerified is the warning for a Verify that failed with lift.ErrUndefined: variants can still be compared with each other.
func NotVerified(err error) error {
	return warning.Unverified.Error(fmt.Errorf("the reference cannot be compared with the semantics of the program, which is not known: %w", err))
}

// Verify compares the reference, chosen in the same way at a small size, with the semantics of the language, using the interpreter
// and, where dev is not nil, the device; also with data of both signs, if all numbers are data for it. It returns the sizes. A program with a function that is defined in OpenCL C only has no
// semantics: lift.ErrUndefined.
func (s *Space) Verify(ctx context.Context, dev device.Device) (_ map[string]int64, err error) {
	defer throw.Catch(&err)
	small := throw.Get(s.small())
	r := throw.Get(small.Reference())
	sets := []map[string]Data{small.options.Data}
	if d := signedData(s.Program, small.options.Data); d != nil {
		sets = append(sets, d)
	}
	for _, data := range sets {
		small.hold(data)
		small.verify(ctx, r, dev)
	}
	return small.Sizes, nil
}

// verify compares a reference with the semantics of the language, on the data of the space.
func (s *Space) verify(ctx context.Context, r *Reference, dev device.Device) {
	l, c := throw.Get2(s.lowered(r.Point))
	switch err := evaluated(s.Program, s.Sizes, l, s.data(), r.Tolerance); {
	case errors.Is(err, lift.ErrUndefined):
		throw.If(err)
		return
	case err != nil:
		panic(throw.Errorf("variant %s at %s differs from the semantics of the program: %w", r.Variant.ID, workload.FormatSizes(s.Sizes), err))
	}
	if dev == nil {
		return
	}
	if err := c.Compare(ctx, dev); err != nil && !errors.Is(err, workload.ErrUnverified) {
		throw.If(err)
		return
	}
}

// evaluated compares the interpreter's result of a lowered program with the semantics of the program.
func evaluated(p *lift.Program, sizes map[string]int64, l *lower.Lowered, data map[string]Data, tolerance float64) (err error) {
	defer throw.Catch(&err)
	at := throw.Get(p.AtSizes(sizes))
	buffers := map[string]*interp.Buffer{}
	for i, a := range l.Inputs {
		own, given := data[a.Name]
		if a.Value {
			b := interp.NewBuffer(a.DType, 1)
			b.Set(0, 1.25)
			if given {
				b.Set(0, own.Arg.Formula.At(0))
			}
			buffers[a.Name] = b
			continue
		}
		bytes, seed := make([]byte, a.Elements*a.DType.Size()), uint64(i+1)
		if given {
			own.Arg.DType, own.Arg.Seed = string(a.DType), seed
			own.Arg.Fill(bytes, 0)
		} else {
			device.Fill(string(a.DType), bytes, seed)
		}
		buffers[a.Name] = throw.Get(interp.FromBytes(a.DType, bytes))
	}
	rest := l.Inputs
	take := func(t *lift.Type, arrays []lower.Array) lift.Value {
		bufs := lists.Map(arrays, func(a lower.Array) *interp.Buffer { return buffers[a.Name] })
		return lower.Read(t, bufs)
	}
	var inputs []lift.Value
	for _, in := range at.Inputs {
		k := len(lift.Components(in.Type))
		inputs = append(inputs, take(in.Type, rest[:k]))
		rest = rest[k:]
	}
	want := throw.Get(lift.Eval(at, nil, inputs, lift.EvalOptions{Float: true}))
	for _, a := range l.Outputs {
		buffers[a.Name] = interp.NewBuffer(a.DType, int(a.Elements))
	}
	if _, err := interp.RunProgram(l.Program, nil, buffers); err != nil {
		return err
	}
	return lower.Compare(take(at.Body.Type, l.Outputs), want, tolerance)
}
