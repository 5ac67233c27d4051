package lower_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/kernel"
	"gpuperf/kernel/interp"
	"gpuperf/lift"
	"gpuperf/lift/explore"
	"gpuperf/lift/lower"
	"gpuperf/samples"
	"gpuperf/workload"
)

func parse(t testing.TB, text string) *lift.Program {
	t.Helper()
	p, err := lift.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// data of an argument: what the device fills a buffer with, so that all three ways to run a program begin alike.
func data(a lower.Array, seed int, segments map[string]explore.Data) *interp.Buffer {
	if a.Value {
		b := interp.NewBuffer(a.DType, 1)
		b.Set(0, 1.25)
		return b
	}
	bytes := make([]byte, a.Elements*a.DType.Size())
	arg := segments[a.Name].Arg
	arg.DType, arg.Seed = string(a.DType), uint64(seed)
	arg.Fill(bytes, 0)
	b, err := interp.FromBytes(a.DType, bytes)
	if err != nil {
		panic(err)
	}
	return b
}

// meanings are results of Eval by programs that variants were derived from, and sizes: those of all their variants.
var meanings sync.Map

// check lowers a program and holds the interpreter and, where dev is not nil, the device against Eval: of the program that it was derived from, if that is known.
func check(t testing.TB, p *lift.Program, opt lower.Options, dev device.Device) (*lower.Lowered, error) {
	t.Helper()
	l, err := lower.Lower(p, opt)
	if err != nil {
		return nil, err
	}
	if err := l.Check(); err != nil {
		return l, fmt.Errorf("%w\n%s", err, l)
	}
	fixed, err := p.AtSizes(opt.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	buffers := map[string]*interp.Buffer{}
	segments, key := map[string]explore.Data{}, ""
	if start, ok := derivedFrom.Load(p); ok {
		if fixed, err = start.(*lift.Program).AtSizes(opt.Sizes); err != nil {
			t.Fatal(err)
		}
		segments, key = explore.Segments(fixed), fixed.String()
	}
	for i, a := range l.Inputs {
		buffers[a.Name] = data(a, i+1, segments)
	}
	inputs, rest := []lift.Value{}, l.Inputs
	for _, in := range fixed.Inputs {
		k := len(lift.Components(in.Type))
		var bufs []*interp.Buffer
		for _, a := range rest[:k] {
			bufs = append(bufs, buffers[a.Name])
		}
		inputs = append(inputs, lower.Read(in.Type, bufs))
		rest = rest[k:]
	}
	want, known := meanings.Load(key)
	if !known || key == "" {
		if want, err = lift.Eval(fixed, nil, inputs, lift.EvalOptions{Float: true}); err != nil {
			t.Fatal(err)
		}
		meanings.Store(key, want)
	}
	result := func() lift.Value {
		var outs []*interp.Buffer
		for _, a := range l.Outputs {
			outs = append(outs, buffers[a.Name])
		}
		return lower.Read(fixed.Body.Type, outs)
	}
	for _, a := range l.Outputs {
		buffers[a.Name] = interp.NewBuffer(a.DType, int(a.Elements))
	}
	if _, err := interp.RunProgram(l.Program, nil, buffers); err != nil {
		return l, fmt.Errorf("%w\n%s", err, l)
	}
	if err := lower.Compare(result(), want.(lift.Value), 1e-4); err != nil {
		return l, fmt.Errorf("the interpreter: %w\n%s", err, l)
	}
	if dev == nil {
		return l, nil
	}
	if err := run(dev, l, buffers, segments); err != nil {
		return l, fmt.Errorf("%w\n%s", err, l)
	}
	if err := lower.Compare(result(), want.(lift.Value), 1e-4); err != nil {
		return l, fmt.Errorf("the device: %w\n%s", err, l)
	}
	return l, nil
}

// run runs the program on the device and leaves the results in buffers.
func run(dev device.Device, l *lower.Lowered, buffers map[string]*interp.Buffer, segments map[string]explore.Data) error {
	c := &workload.ProgramCase{Program: workload.NewProgram(l.Program), Identity: samples.Identity{Source: "test"}, Interface: dev.Info().Interface}
	job, err := c.Job(device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: time.Millisecond})
	if err != nil {
		return err
	}
	lists := [][]device.Arg{job.Args}
	for _, then := range job.Then {
		lists = append(lists, then.Args)
	}
	for _, list := range lists {
		for n := range list {
			for i, in := range l.Inputs {
				if in.Name == list[n].Name {
					list[n].Seed, list[n].Sequence = uint64(i+1), segments[in.Name].Arg.Sequence
				}
			}
		}
	}
	job.Keep = c.Results()
	r, err := dev.Run(context.Background(), job)
	if err != nil {
		if e, ok := device.AsError(err); ok {
			return fmt.Errorf("%w\n%s\n%s", err, e.Log, job.Source)
		}
		return err
	}
	for name, bytes := range r.Outputs {
		if buffers[name], err = interp.FromBytes(l.Array(name).DType, bytes); err != nil {
			return err
		}
	}
	return nil
}

type example struct {
	name string
	text string
	opt  lower.Options
	// kernels is the number of kernels, 1 where it is 0.
	kernels int
}

func options(sizes map[string]int64, local, global [3]int64) lower.Options {
	return lower.Options{Sizes: sizes, Local: local, Global: global}
}

func at(values ...any) map[string]int64 {
	out := map[string]int64{}
	for i := 0; i < len(values); i += 2 {
		out[values[i].(string)] = int64(values[i+1].(int))
	}
	return out
}

var examples = []example{
	{name: "scal", text: `program scal
size n
fun(xs: [float32]n, alpha: float32 => mapGlb(fun(x => x*alpha)) $ xs)`, opt: options(at("n", 100), [3]int64{8}, [3]int64{32})},
	{name: "scal-one-trip", text: `program scal
size n
fun(xs: [float32]n, alpha: float32 => mapGlb(fun(x => x*alpha)) $ xs)`, opt: options(at("n", 100), [3]int64{16}, [3]int64{112})},
	{name: "scal-groups", text: `program scal
size n
fun(xs: [float32]n, alpha: float32 => join o mapWrg(mapLcl(mapSeq(fun(x => x*alpha))) o split(2)) o split(16) $ xs)`, opt: options(at("n", 96), [3]int64{4}, [3]int64{16})},
	{name: "scal-vectors", text: `program scal
size n
fun(xs: [float32]n, alpha: float32 => asScalar o mapGlb(mapVec(fun(x => x*alpha))) o asVector(4) $ xs)`, opt: options(at("n", 96), [3]int64{4}, [3]int64{16})},
	{name: "scal-coalesced", text: `program scal
size n
fun(xs: [float32]n, alpha: float32 => join o mapWrg(scatter(stride(4)) o join o mapLcl(mapSeq(fun(x => x*alpha))) o split(4) o gather(stride(4))) o split(32) $ xs)`, opt: options(at("n", 96), [3]int64{8}, [3]int64{16})},
	{name: "asum", kernels: 2, text: `program asum
size n
fun(xs: [float32]n => reduceSeq(+, 0.0f) o join o mapWrg(join o mapLcl(reduceSeq(fun(a, x => a + abs(x)), 0.0f)) o split(4)) o split(32) $ xs)`, opt: options(at("n", 128), [3]int64{8}, [3]int64{32})},
	{name: "asum-tree", kernels: 2, text: `program asum
size n
fun(xs: [float32]n =>
    reduceSeq(+, 0.0f) o join o mapWrg(
        iterate(3, fun(ys => join o toLocal o mapLcl(reduceSeq(+, 0.0f)) o split(2) $ ys)) o join o toLocal o mapLcl(reduceSeq(fun(a, x => a + abs(x)), 0.0f)) o split(4)
    ) o split(32) $ xs)`, opt: options(at("n", 128), [3]int64{8}, [3]int64{32})},
	{name: "dot", kernels: 2, text: `program dot
size n
fun(xs: [float32]n, ys: [float32]n =>
    reduceSeq(+, 0.0f) o join o mapGlb(reduceSeq(fun(acc, (x, y) => acc + x*y), 0.0f)) o split(8) $ zip(xs, ys))`, opt: options(at("n", 256), [3]int64{8}, [3]int64{16})},
	{name: "gemv", text: `program gemv
size n, m
fun(a: [[float32]n]m, xs: [float32]n, ys: [float32]m, alpha: float32, beta: float32 =>
    join o mapGlb(fun((row, y) =>
        mapSeq(fun(d => alpha * d + beta * y)) o reduceSeq(fun(acc, (x, r) => acc + x*r), 0.0f) $ zip(xs, row)
    )) $ zip(a, ys))`, opt: options(at("n", 12, "m", 20), [3]int64{8}, [3]int64{16})},
	{name: "gemv-local", text: `program gemv
size n, m
fun(a: [[float32]n]m, xs: [float32]n, ys: [float32]m, alpha: float32, beta: float32 =>
    join o mapWrg(fun((row, y) =>
        mapLcl(fun(d => alpha * d + beta * y)) o reduceSeq(+, 0.0f) o join o toLocal o mapLcl(reduceSeq(fun(acc, (x, r) => acc + x*r), 0.0f)) o split(4) o gather(stride(4)) $ zip(xs, row)
    )) $ zip(a, ys))`, opt: options(at("n", 32, "m", 6), [3]int64{8}, [3]int64{32})},
	{name: "matmul", text: `program matmul
size m, k, n
fun(a: [[float32]k]m, b: [[float32]n]k =>
    mapGlb(1, fun(row =>
        join o mapGlb(0, fun(column =>
            reduceSeq(fun(acc, (x, y) => acc + x*y), 0.0f) $ zip(row, column)
        )) o transpose $ b
    )) $ a)`, opt: options(at("m", 12, "k", 5, "n", 9), [3]int64{4, 2}, [3]int64{8, 4})},
	{name: "matmul-tiled", text: `program matmul
size m, k, n
fun(a: [[float32]k]m, b: [[float32]n]k =>
    map(join) o join o map(transpose) o mapWrg(1, fun(rows =>
        mapWrg(0, fun(columns =>
            mapLcl(1, mapLcl(0, id)) o at(0) $ reduceSeq(fun(acc, (at1, bt1) =>
                let(ta = toLocal(mapLcl(1, mapLcl(0, id)) $ at1), let(tb = toLocal(mapLcl(1, mapLcl(0, id)) $ bt1),
                    mapLcl(1, fun((accRow, row) =>
                        mapLcl(0, fun((x, column) =>
                            at(0) o reduceSeq(fun(s, (p, q) => s + p*q), x) $ zip(row, column)
                        )) $ zip(accRow, tb)
                    )) $ zip(acc, ta)
                ))
            ), generate(4, fun(i => generate(4, fun(j => 0.0f))))) $ zip(transpose o map(split(4)) $ rows, transpose o map(split(4)) $ columns)
        )) o split(4) o transpose $ b
    )) o split(4) $ a)`, opt: options(at("m", 12, "k", 8, "n", 16), [3]int64{4, 4}, [3]int64{8, 8})},
	{name: "matmul-tiled-rows", text: `program matmul
size m, k, n
fun(a: [[float32]k]m, b: [[float32]n]k =>
    map(join) o join o map(transpose) o mapWrg(1, fun(rows =>
        mapWrg(0, fun(columns =>
            mapLcl(1, mapLcl(0, id)) o at(0) $ reduceSeq(fun(acc, (at1, bt1) =>
                let(ta = toLocal(mapLcl(1, mapLcl(0, id)) $ at1), let(tb = toLocal(mapLcl(1, mapLcl(0, id)) $ bt1),
                    mapLcl(1, fun((accRow, row) =>
                        mapLcl(0, fun((x, column) =>
                            at(0) o reduceSeqUnroll(fun(s, (p, q) => s + p*q), x) $ zip(row, column)
                        )) $ zip(accRow, tb)
                    )) $ zip(acc, ta)
                ))
            ), generate(6, fun(i => generate(4, fun(j => 0.0f))))) $ zip(transpose o map(split(4)) $ rows, transpose o map(split(4)) $ columns)
        )) o split(4) o transpose $ b
    )) o split(6) $ a)`, opt: options(at("m", 12, "k", 8, "n", 16), [3]int64{4, 2}, [3]int64{8, 4})},
	{name: "stencil-mirror", text: `program blur
size n
fun(g: [float32]n => mapGlb(fun(nbh => at(0) o reduceSeq(+, 0.0f) $ nbh)) o slide(5, 1) o pad(2, 2, mirror) $ g)`, opt: options(at("n", 11), [3]int64{4}, [3]int64{12})},
	{name: "stencil-wrap", text: `program blur
size n
fun(g: [float32]n => join o mapGlb(reduceSeq(+, 0.0f)) o slide(5, 1) o pad(2, 2, wrap) $ g)`, opt: options(at("n", 11), [3]int64{4}, [3]int64{12})},
	{name: "stencil-constant", text: `program blur
size h, w
fun(g: [[float32]w]h =>
    mapGlb(1, mapGlb(0, fun(nbh => at(0) o reduceSeqUnroll(+, 0.0f) o join $ nbh))) o map(transpose) o slide(3, 1) o map(slide(3, 1))
    o padConst(1, 1, generate(w + 2, fun(i => 7.0f))) o map(padConst(1, 1, 5.0f)) $ g)`, opt: options(at("h", 7, "w", 10), [3]int64{4, 2}, [3]int64{8, 4})},
	{name: "stencil-tiled", text: `program blur
size h, w
fun(g: [[float32]w]h =>
    map(join) o join o map(transpose) o mapWrg(1, mapWrg(0, fun(tile =>
        let(t = toLocal(mapLcl(1, mapLcl(0, id)) $ tile),
            mapLcl(1, mapLcl(0, fun(nbh => at(0) o reduceSeqUnroll(+, 0.0f) o join $ nbh))) o map(transpose) o slide(3, 1) o map(slide(3, 1)) $ t)
    ))) o map(transpose) o slide(6, 4) o map(slide(6, 4)) o pad(1, 1, clamp) o map(pad(1, 1, clamp)) $ g)`, opt: options(at("h", 8, "w", 12), [3]int64{4, 4}, [3]int64{8, 4})},
	{name: "stencil-registers", text: `program blur
size h, w
fun(g: [[float32]w]h =>
    transpose o mapGlb(0, fun(column =>
        mapSeqSlide(3, 1, fun(nbh => at(0) o reduceSeqUnroll(+, 0.0f) $ nbh)) o pad(1, 1, clamp) $ column)) o transpose $ g)`, opt: options(at("h", 7, "w", 10), [3]int64{4}, [3]int64{12})},
	{name: "stencil-inside", text: `program blur
size h, w
fun(g: [[float32]w]h =>
    inset(1, 1) o mapGlb(1, fun(rows => inset(1, 1) o mapGlb(0, fun(nbh => at(0) o reduceSeqUnroll(max, 0.0f) o join $ nbh)) $ rows))
     o map(transpose) o slide(3, 1) o map(slide(3, 1)) $ g)`, opt: options(at("h", 7, "w", 10), [3]int64{4, 2}, [3]int64{8, 4})},
	{name: "tuples", text: `program tuples
size n
def both(x: float32, y: float32): (float32, float32) = s + d, s*d
    where s = x + y
    where d = x - 2.0f*y
def swap(p: (float32, float32), k: int32): (float32, float32) = p[1] + k, p[0]
def norm(p: (float32, float32)): float32 = sqrt(p[0]*p[0] + p[1]*p[1])
fun(xs: [(float32, float32)]n, ks: [int32]n =>
    tuple(mapGlb(fun((p, k) => swap(both(get(0, p), get(1, p)), k))) $ zip(xs, ks), mapGlb(fun(p => norm(p))) $ xs))`, opt: options(at("n", 13), [3]int64{4}, [3]int64{8})},
	{name: "reduce-tuples", text: `program extremes
size n, m
def step(acc: (float32, float32), x: float32): (float32, float32) = acc[0]*0.5f + acc[1], max(acc[0], x)
fun(xs: [[float32]m]n => join o mapGlb(fun(row => reduceSeq(fun(acc, x => step(acc, x)), tuple(1.0f, 0.5f)) $ row)) $ xs)`, opt: options(at("n", 7, "m", 5), [3]int64{4}, [3]int64{8})},
	{name: "reduce-arrays", text: `program columns
size n, m
fun(xs: [[float32]4]m => mapGlb(fun(x => x)) o mapSeq(id) o join $ reduceSeq(fun(acc, row => mapSeq(fun((a, x) => a + x)) $ zip(gather(reverse) $ acc, row)), generate(4, fun(i => 1.0f))) $ xs)`, opt: options(at("n", 7, "m", 5), [3]int64{4}, [3]int64{8}), kernels: 2},
	{name: "generate", text: `program numbers
size n
fun(xs: [int32]n => mapGlb(fun((x, i) => x*i + i)) $ zip(gather(index("(3*i + 2) % n")) $ xs, generate(n, fun(i => i*i + nat(n)))))`, opt: options(at("n", 14), [3]int64{4}, [3]int64{8})},
	{name: "indirect", text: `program indirect
size n, m
fun(xs: [float32]20, ks: [[int32]m]n =>
    join o mapGlb(fun(k => reduceSeq(fun(acc, j => acc + at(j, xs)), 0.0f) $ k)) $ ks)`, opt: options(at("n", 14, "m", 3), [3]int64{4}, [3]int64{8})},
	{name: "vectors-dot", kernels: 3, text: `program dot
size n
fun(xs: [float32]n, ys: [float32]n =>
    reduceSeq(+, 0.0f) o join o mapGlb(fun(c => reduceSeq(+, 0.0f) o asScalar o toPrivate(mapSeq(mapVec(fun(x => 2.0f*x)))) o asVector(4) $ c)) o split(8)
    o asScalar o mapGlb(fun((x, y) => mapVec(*, x, y))) $ zip(asVector(4) $ xs, asVector(4) $ ys))`, opt: options(at("n", 64), [3]int64{4}, [3]int64{8})},
	{name: "vector-functions", text: `program vf
size n
def poly(x: float32, a: float32): float32 = x*t + a
    where t = x + 0.5f
def both(v: <float32>4, s: float32): <float32>4 = v*s + 1.0f
fun(xs: [float32]n, a: float32 => asScalar o mapGlb(fun(v => mapVec(fun(x => poly(x, a)), both(v, 3.0f)))) o asVector(4) $ xs)`, opt: options(at("n", 64), [3]int64{4}, [3]int64{8})},
	{name: "let", text: `program let
size n
fun(xs: [[float32]8]n => mapGlb(fun(row => let(s = at(0) o reduceSeq(+, 0.0f) $ row, mapSeq(fun(x => let(y = x/s, y*y + y))) $ row))) $ xs)`, opt: options(at("n", 13), [3]int64{4}, [3]int64{8})},
	{name: "columns-of-group", text: `program columns
size n, m
fun(xs: [[[float32]10]m]n => mapWrg(fun(rows =>
    mapLcl(id) o at(0) $ reduceSeq(fun(acc, row => mapLcl(fun((a, x) => a + x)) $ zip(acc, row)), generate(10, fun(i => 1.0f))) $ rows)) $ xs)`, opt: options(at("n", 5, "m", 3), [3]int64{4}, [3]int64{8})},
	{name: "uneven", text: `program uneven
size n
fun(xs: [[float32]10]n => mapWrg(fun(row => mapLcl(fun(x => 2.0f*x)) o toLocal(mapLcl(id)) o gather(reverse) $ row)) $ xs)`, opt: options(at("n", 5), [3]int64{4}, [3]int64{8})},
	{name: "stencil-clamp", text: `program blur
size h, w
fun(g: [[float32]w]h =>
    mapGlb(1, mapGlb(0, fun(nbh => at(0, reduceSeqUnroll(+, 0.0f, join(nbh)))))) o map(transpose) o slide(3, 1) o map(slide(3, 1)) o pad(1, 1, clamp) o map(pad(1, 1, clamp)) $ g)`, opt: options(at("h", 7, "w", 10), [3]int64{4, 2}, [3]int64{8, 4})},
}

// TestRefused: what cannot be lowered is told, with the pattern.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"map(id) $ xs", ""},
		{"reduce(+, 0.0f) $ xs", "reduce is not lowered"},
		{"mapLcl(id) $ xs", "mapLcl(0) must be inside mapWrg(0)"},
		{"join o mapGlb(mapGlb(id)) o split(4) $ xs", "mapGlb(0) cannot be inside mapGlb(0)"},
		{"join o mapWrg(mapGlb(1, id)) o split(4) $ xs", "mapGlb(1) cannot be inside mapWrg(0)"},
		{"mapGlb(id) o toLocal(mapSeq(id)) $ xs", "toLocal must be inside mapWrg"},
		{"join o mapWrg(mapLcl(id) o gather(reverse) o toPrivate(mapLcl(id))) o split(4) $ xs", "is private to another work-item"},
		{"mapGlb(id) o asScalar o map(mapVec(fun(x => 2.0f*x))) o asVector(4) $ xs", "keep the vectors in memory first"},
		{"join o mapGlb(fun(c => mapSeq(fun(x => x*at(0, reduceSeq(+, 0.0f) o mapGlb(1, id) $ c))) $ c)) o split(4) $ xs", "needs a barrier across work-groups"},
	} {
		p := parse(t, "program p\nsize n\nfun(xs: [float32]n => "+c.body+")")
		_, err := lower.Lower(p, lower.Options{Sizes: at("n", 16)})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
	p := parse(t, examples[0].text)
	for want, opt := range map[string]lower.Options{
		"size n has no value":                              {},
		"along dimension 1 do not divide into groups of 4": {Sizes: at("n", 16), Local: [3]int64{1, 4}, Global: [3]int64{1, 6}},
	} {
		if _, err := lower.Lower(p, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestReuse: the buffers of iterate are written and read in turns.
func TestReuse(t *testing.T) {
	for _, e := range examples {
		if e.name != "asum-tree" {
			continue
		}
		l, err := lower.Lower(parse(t, e.text), e.opt)
		if err != nil {
			t.Fatal(err)
		}
		var tiles []string
		for _, a := range l.Kernels[0].Temps {
			if a.Space == kernel.Local {
				tiles = append(tiles, a.String())
			}
		}
		if want := []string{"tile_1: local float32 [4]", "tile_2: local float32 [8]"}; !slices.Equal(tiles, want) {
			t.Errorf("local memory %v, want %v", tiles, want)
		}
	}
}

// TestFixed: a program at its sizes is lowered at one ND-range after another.
func TestFixed(t *testing.T) {
	f, err := lower.Fix(parse(t, examples[0].text), at("n", 96))
	if err != nil {
		t.Fatal(err)
	}
	for _, local := range []int64{8, 32, 0} {
		l, err := f.Lower([3]int64{local}, [3]int64{3 * local})
		if err != nil {
			t.Fatal(err)
		}
		size, err := l.Kernels[0].LocalSize()
		if want := max(local, 1); err != nil || local > 0 && size[0] != want || local == 0 && size[0] != 64 {
			t.Errorf("groups of %v (%v), want %d", size, err, want)
		}
	}
}

// TestLowered: the examples compute what they mean, by the interpreter, and every third of them (with LONG=1 all) on the device.
func TestLowered(t *testing.T) {
	dev := devicetest.Open(t)
	devicetest.Together(dev, len(examples), func(i int, on device.Device) {
		e := examples[i]
		t.Run(e.name, func(t *testing.T) {
			if i%3 > 0 && os.Getenv("LONG") == "" {
				on = nil // to build takes most of the time
			}
			l, err := check(t, parse(t, e.text), e.opt, on)
			if err != nil {
				t.Fatal(err)
			}
			if n := max(e.kernels, 1); len(l.Kernels) != n {
				t.Errorf("%d kernels, want %d\n%s", len(l.Kernels), n, l.Program)
			}
		})
	})
}
