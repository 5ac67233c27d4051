package lower_test

import (
	"os"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/lift/explore"
)

// programs are of kinds that no example shows.
var programs = []struct {
	name, text string
	sizes      map[string]int64
}{
	{"transposition", "fun(a: [[float32]n]m => transpose $ a)", map[string]int64{"n": 16, "m": 8}},
	{"chunks", "fun(xs: [float32]n, ys: [float32]m => tuple(split(4) $ xs, gather(reverse) $ ys))", map[string]int64{"n": 32, "m": 8}},
	{"components", "fun(ps: [(float32, int32)]n => unzip $ ps)", map[string]int64{"n": 64}},
	{"pairs", "fun(xs: [float32]n, ys: [int32]n => zip(xs, gather(reverse) $ ys))", map[string]int64{"n": 64}},
	{"windows", "fun(xs: [float32]n => slide(3, 1) o map(sqrt) $ xs)", map[string]int64{"n": 34}},
	{"border", "fun(xs: [float32]n => pad(2, 1, mirror) o map(sqrt) $ xs)", map[string]int64{"n": 61}},
	{"zeros around", "fun(xs: [float32]n => padConst(1, 1, 0.0f) o map(sqrt) $ xs)", map[string]int64{"n": 62}},
	{"scan of a prime number", "fun(xs: [float32]n => scanBefore(+, 0) o map(fun(x => x * x)) $ xs)", map[string]int64{"n": 61}},
	{"a norm", "fun(xs: [float32]n => map(sqrt) o reduce(+, 0) o map(fun(x => x * x)) $ xs)", map[string]int64{"n": 61}},
	{"a table of sums", "fun(xs: [float32]n => join $ generate(m, fun(j => reduce(+, 0) o map(fun(x => x * at(j, xs))) $ xs)))", map[string]int64{"n": 64, "m": 8}},
	{"two maps", "fun(xs: [float32]n, ys: [float32]n => tuple(map(sqrt) $ xs, map(*) $ zip(xs, ys)))", map[string]int64{"n": 64}},
	{"a map and a sum", "fun(xs: [float32]n => tuple(map(sqrt) $ xs, reduce(+, 0) $ xs))", map[string]int64{"n": 64}},
	{"shares", "fun(xs: [float32]n => let(s = reduce(+, 0) $ xs, map(fun(x => x / at(0, s))) $ xs))", map[string]int64{"n": 64}},
	{"let in let", "fun(xs: [float32]n => let(m = reduce(+, 0) $ xs, let(v = reduce(+, 0) o map(fun(x => (x - at(0, m)) * (x - at(0, m)))) $ xs, map(fun(x => (x - at(0, m)) / at(0, v))) $ xs)))", map[string]int64{"n": 32}},
	{"casts", "def f(x: int32): float32 = cast(float32, x)*0.5f\nfun(xs: [int32]n => map(f) $ xs)", map[string]int64{"n": 64}},
	{"powers", "def f(x: float32): float32 = pow(x, 2.5f)\nfun(xs: [float32]n => map(f) $ xs)", map[string]int64{"n": 64}},
	{"quotients", "def f(x: int32, y: int32): int32 = (x - 8)//y + (x - 8)%y\nfun(xs: [int32]n, ys: [int32]n => map(f) $ zip(xs, ys))", map[string]int64{"n": 64}},
	{"doubles", "fun(xs: [float64]n => reduce(+, 0) o map(fun(x => x * x)) $ xs)", map[string]int64{"n": 64}},
	{"unsigned", "fun(xs: [uint32]n => reduce(+, 0) $ xs)", map[string]int64{"n": 64}},
	{"long", "fun(xs: [int64]n => map(fun(x => x * x)) $ xs)", map[string]int64{"n": 64}},
	{"sums before", "fun(xs: [float32]n => scanBefore(+, 0) o map(fun(x => x * x)) $ xs)", map[string]int64{"n": 64}},
	{"a scan in order", "def f(a: float32, b: float32): float32 = 0.5f*a + b\nfun(xs: [float32]n => scan(f, 0) $ xs)", map[string]int64{"n": 64}},
	{"a scan of components", "fun(xs: [float32]n => let(s = scan(+, 0) $ xs, map(fun(x => x / at(nat(n - 1), s))) $ s))", map[string]int64{"n": 64}},
	{"a filter", "def f(x: float32): int32 = if(x > 1.0f, 1, 0)\nfun(xs: [float32]n => filter(f) $ xs)", map[string]int64{"n": 64}},
	{"a filter of pairs", "def f(x: float32, i: int32): int32 = i % 3\nfun(xs: [float32]n, is: [int32]n => get(0) o filter(fun((x, i) => f(x, i))) o map(fun((x, i) => tuple(x * x, i))) $ zip(xs, is))", map[string]int64{"n": 64}},
	{"a count", "def f(x: float32): int32 = if(x > 1.0f, 1, 0)\nfun(xs: [float32]n => get(1) o filter(f) $ xs)", map[string]int64{"n": 61}},
	{"segments", "fun(xs: [float32]n, starts: [int32](m + 1) => reduceSegments(+, 0, starts) $ xs)", map[string]int64{"n": 128, "m": 8}},
	{"empty segments", "fun(xs: [float32]n, starts: [int32](m + 1) => reduceSegments(+, 0, starts) o map(fun(x => x * x)) $ xs)", map[string]int64{"n": 8, "m": 32}},
	{"a sparse matrix", "fun(v: [float32]n, c: [int32]n, starts: [int32](m + 1), x: [float32]32 => map(fun(y => y * 2.0f)) o reduceSegments(+, 0, starts) o map(fun((v, c) => v * at(c, x))) $ zip(v, c))", map[string]int64{"n": 96, "m": 16}},
	{"the largest of segments", "def f(a: float32, b: float32): float32 = maximum(a, b)\n    associative\n    neutral -1000.0f\nfun(xs: [float32]n, starts: [int32](m + 1) => reduce(+, 0) o reduceSegments(f, -1000.0f, starts) $ xs)", map[string]int64{"n": 64, "m": 8}},
	{"segments in order", "def f(a: float32, b: float32): float32 = 0.5f*a + b\nfun(xs: [float32]n, starts: [int32](m + 1) => reduceSegments(f, 1, starts) $ xs)", map[string]int64{"n": 64, "m": 8}},
	{"permuted", "fun(xs: [float32]n => put(map(fun(x => 0.0f)) $ xs) $ zip(generate(n, fun(i => i * 2)), xs))", map[string]int64{"n": 64}},
	{"a pair of a map", "fun(xs: [float32]n, ys: [int32]n => zip(map(sqrt) $ xs, ys))", map[string]int64{"n": 64}},
	{"in order", "def f(a: float32, b: float32): float32 = 0.5f*a + b\nfun(xs: [float32]n => reduce(f, 0) $ xs)", map[string]int64{"n": 64}},
	{"rows in order", "def f(a: float32, b: float32): float32 = 0.5f*a + b\nfun(a: [[float32]n]m => join o map(reduce(f, 0)) $ a)", map[string]int64{"n": 16, "m": 16}},
	{"a let in order", "def f(a: float32, b: float32): float32 = 0.5f*a + b\nfun(xs: [float32]n => let(s = reduce(f, 0) $ xs, map(fun(x => x * at(0, s))) $ xs))", map[string]int64{"n": 64}},
}

// TestPrograms: variants of programs of all kinds compute what these mean, a third of them on the device, too; with LONG=1 all.
func TestPrograms(t *testing.T) {
	count := 2
	if os.Getenv("LONG") != "" {
		count = 100
	}
	dev := devicetest.Open(t)
	devicetest.Together(dev, len(programs), func(i int, dev device.Device) {
		c := programs[i]
		if i%3 > 0 && os.Getenv("LONG") == "" {
			dev = nil // to build takes most of the time
		}
		t.Run(c.name, func(t *testing.T) {
			sizes := "n"
			if c.sizes["m"] > 0 {
				sizes = "n, m"
			}
			p := parse(t, "program p\nsize "+sizes+"\nassume 4 | n\n"+c.text)
			if c.sizes["n"]%4 != 0 {
				p = parse(t, "program p\nsize "+sizes+"\n"+c.text)
			}
			checkPoints(t, points(t, p, c.sizes, explore.Options{Variants: count, Ranges: 1, Seed: 3}), c.sizes, dev)
		})
	})
}
