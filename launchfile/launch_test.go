package launchfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device"
)

// described is a launch as text, a line for each part.
func described(l *Launch) (text []string) {
	text = append(text, fmt.Sprintf("%s %s %v", filepath.Base(l.Source), l.Kernel, l.Block))
	text = append(text, fmt.Sprintf("grid %v shared %v fixed %v", l.Grid, l.Shared, l.Fixed))
	for _, a := range l.Args {
		switch a.Kind {
		case device.Scalar:
			text = append(text, fmt.Sprintf("%s %s", a.DType, a.Value))
		default:
			text = append(text, fmt.Sprintf("%s %s[%s] whole %t", a.DType, a.Name, a.Elements, a.Whole))
		}
	}
	for _, a := range l.Assume {
		text = append(text, fmt.Sprintf("%s %v %s", a.Loop, a.Trips, a.Holds))
	}
	return append(text, fmt.Sprintf("-I%v -D%v", slices.Collect(baseNames(l.Include)), l.Define))
}

func baseNames(paths []string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, p := range paths {
			if !yield(filepath.Base(p)) {
				return
			}
		}
	}
}

// TestLaunch: sizes that the block depends on are numbers, others stay names; quotients of integers round down, and those of floats do not.
func TestLaunch(t *testing.T) {
	const text = `version: 1
source: k.cu
kernel: k<float>
sizes: {n: 1000, items: 64}
define: {TILE: 16, FAST: }
options: ["-I up --use_fast_math", -DX=2]
include: [inc]
grid: [(n + items - 1) / items]
block: [items]
shared: 4 * items + n / 2
args:
  - {buffer: x, dtype: float32, size: 2 * n}
  - {buffer: y, bytes: 4096, at: 0}
  - {pointer: x}
  - {int32: n / 4}
  - {float32: 1 / n}
assume: [{loop: "k.cu:12", trips: n / 3}, {loop: 7, trips: 4}, {sizes: "n % 4 = 0"}]
`
	f, err := Parse(filepath.Join(folder(t, sources), "l.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	l, err := f.Launch(map[string]int64{"items": 128})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"k.cu k<float> [128]",
		"grid [(n + 128 - 1) // 128] shared 4*128 + n // 2 fixed map[items:128]",
		"float32 x[2*n] whole false", "uint8 y[4096] whole true", "float32 x[2*n] whole false", "int32 n // 4", "float32 1/n",
		"k.cu:12 n/3 ", "7 4 ", " <nil> n % 4 = 0",
		"-I[inc up] -D[X=2 TILE=16 FAST]",
	}
	if diff := cmp.Diff(want, described(l)); diff != "" {
		t.Error(diff)
	}
	for old, c := range map[string]struct{ new, want string }{
		"int32: n / 4":   {"hex: \"00\"", "structures and bytes are no arguments"},
		"at: 0":          {"at: 4", "a pointer into the middle of a buffer"},
		"kernel: k":      {"sequence: [{repeat: 2}]\nkernel: k", "a sequence of launches is no kernel"},
		"float32: 1 / n": {"float32: 1, offset: 64", "arguments at offsets"},
	} {
		f, err := Parse(filepath.Join(folder(t, sources), "l.yaml"), []byte(strings.Replace(text, old, c.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Launch(nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}
