package schedule

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/nesttest"
	"gpuperf/internal/golden"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

func polybench(t testing.TB) []string {
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) != 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// TestPolybench compares the trees of the examples with golden files; all are verified, for some strategies with each way of fusion.
func TestPolybench(t *testing.T) {
	for name, strategy := range ByName {
		var out strings.Builder
		for _, file := range polybench(t) {
			nests, err := scop.Load(t.Context(), file, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			fusions := []Fusion{Smart}
			if (name == "pluto" || name == "launches") && os.Getenv("LONG") != "" {
				fusions = []Fusion{Maximal, None, Smart}
			}
			for _, f := range fusions {
				o, err := object(nests[0], strategy, Options{Fusion: f})
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				if o.Original != "" {
					t.Errorf("%s, %s, fusion %s: %s", file, name, f, o.Original)
				}
				if f == Smart {
					Write(&out, []*Object{o})
					out.WriteByte('\n')
				}
			}
		}
		golden.Check(t, "testdata/"+name+".txt", out.String())
	}
}

// TestOriginal: the order of the text violates no dependence, its reverse does.
func TestOriginal(t *testing.T) {
	for _, file := range polybench(t) {
		nests, err := scop.Load(t.Context(), file, cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := deps.Analyze(nests[0])
		if err != nil {
			t.Fatal(err)
		}
		tree := Original(nests[0])
		if err := Verify(tree, a.Dependences); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if err := Verify(reversed(tree), a.Dependences); err == nil {
			t.Errorf("%s: the reverse order violates nothing", file)
		}
	}
}

// reversed runs all points in the opposite order.
func reversed(n Node) Node {
	switch x := n.(type) {
	case *Sequence:
		out := &Sequence{}
		for i := range x.Parts {
			out.Parts = append(out.Parts, reversed(x.Parts[len(x.Parts)-1-i]))
		}
		return out
	case *Band:
		out := &Band{Body: reversed(x.Body)}
		for _, l := range x.Loops {
			back := Loop{Of: map[*scop.Statement]polycount.Affine{}}
			for s, a := range l.Of {
				back.Of[s] = a.Neg()
			}
			out.Loops = append(out.Loops, back)
		}
		return out
	}
	return n
}

// TestRandomPrograms: each strategy finds a tree for most programs, which violates nothing (a strategy verifies what it finds), and runs each point of each
// statement at a time of its own.
func TestRandomPrograms(t *testing.T) {
	const programs = 12
	found, tried := 0, 0
	for seed := range programs {
		a, text, err := nesttest.Random(t.Context(), seed)
		if errors.Is(err, polycount.ErrBudget) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range Strategies() {
			tried++
			tree, err := ByName[name](a.Nest, a.Dependences, Options{Fusion: Fusions[seed%len(Fusions)]})
			if err != nil {
				if strings.Contains(err.Error(), "violated") {
					t.Fatalf("%s: %v\n%s", name, err, text)
				}
				continue
			}
			found++
			when := times(tree)
			if len(when) != len(a.Nest.Statements) {
				t.Fatalf("%s: %d of %d statements\n%s", name, len(when), len(a.Nest.Statements), text)
			}
			for s, list := range when {
				var rows [][]int64
				for _, e := range list {
					row := make([]int64, len(s.Iterators))
					for i, name := range s.Iterators {
						row[i] = e.Coeff(name)
					}
					rows = append(rows, row)
				}
				if len(s.Iterators) > 0 && rank(rows) != len(s.Iterators) {
					t.Fatalf("%s: %s runs several points at %v\n%s", name, s.Name, list, text)
				}
			}
		}
	}
	if found < tried*9/10 {
		t.Errorf("%d of %d trees are found", found, tried)
	}
}

// BenchmarkPolybench takes the time of the trees of each example, without that of dependences.
func BenchmarkPolybench(b *testing.B) {
	for _, file := range polybench(b) {
		nests, err := scop.Load(b.Context(), file, cfront.Options{})
		if err != nil {
			b.Fatal(err)
		}
		a, err := deps.Analyze(nests[0])
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(file), ".c"), func(b *testing.B) {
			for b.Loop() {
				if _, err := Pluto(nests[0], a.Dependences, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestInOrder: the order of the text in launches violates no dependence.
func TestInOrder(t *testing.T) {
	items := 0
	for _, file := range polybench(t) {
		nests, err := scop.Load(t.Context(), file, cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := deps.Analyze(nests[0])
		if err != nil {
			t.Fatal(err)
		}
		tree, err := InOrder(a)
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(tree, a.Dependences); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if hasParallel(tree) {
			items++
		}
	}
	if items < 20 {
		t.Errorf("%d nests have work-items", items)
	}
}
