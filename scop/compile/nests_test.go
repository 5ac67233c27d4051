package compile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/ctest/scoptest"
)

// A batch is one C file of many random nests, so that one program runs them all: a device compiles its kernels slowly.

// batchMain fills the arrays of each nest anew, calls it, and writes all elements that nests can reach.
const batchMain = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef void nest(int, int, double, double (*)[120], double (*)[120], float *, int *);
%s
static nest *nests[] = {%s};
static double A[120][120], B[120][120];
static float C[120];
static int D[120];
static unsigned long state;
static double perturb;
static double next(void)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return ((double) (state >> 59) - 12.5) / 16 * (1 + perturb * ((double) (state >> 20 & 0xfffff) / (1 << 19) - 1));
}
static void put(double v) { fwrite(&v, sizeof v, 1, stdout); }
int main(int argc, char **argv)
{
    if (getenv("PERTURB")) perturb = atof(getenv("PERTURB"));
    for (int k = 0; k < (int) (sizeof nests / sizeof *nests); k++) {
        state = k + 1;
        for (int i = 0; i < 120; i++) {
            for (int j = 0; j < 120; j++) { A[i][j] = next(); B[i][j] = next(); }
            C[i] = next();
            D[i] = next() * 9;
        }
        nests[k](atoi(argv[1]), atoi(argv[2]), 0.25, A, B, C, D);
        for (int i = 20; i < 80; i++) {
            for (int j = 20; j < 80; j++) { put(A[i][j]); put(B[i][j]); }
            put(C[i]);
            put(D[i]);
        }
    }
    return 0;
}
`

// perNest is how many numbers the main function writes for each.
const perNest = 60*60*2 + 60*2

// batch are nests as functions f0, f1, …; original, device and careful are the programs of it. The last says where it does what C leaves undefined.
type batch struct {
	texts    []string
	compiled []bool
	original string
	device   string
	careful  string
	ends     []int // the last line of each nest in the file
}

// newBatch compiles C functions called f, for a language.
func newBatch(t *testing.T, texts []string, language string) *batch {
	t.Helper()
	b := &batch{texts: texts, compiled: make([]bool, len(texts))}
	dir := t.TempDir()
	var all, declared, names strings.Builder
	all.WriteString("#include <math.h>\n")
	for i, text := range texts {
		all.WriteString(strings.Replace(text, "void f(", fmt.Sprintf("void f%d(", i), 1))
		b.ends = append(b.ends, strings.Count(all.String(), "\n"))
		fmt.Fprintf(&declared, "nest f%d;\n", i)
		fmt.Fprintf(&names, "f%d, ", i)
	}
	file, main := filepath.Join(dir, "nests.c"), filepath.Join(dir, "main.c")
	write(t, file, all.String())
	write(t, main, fmt.Sprintf(batchMain, declared.String(), names.String()))
	result, err := File(t.Context(), file, filepath.Join(dir, "out"), Options{Language: language})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range result.Regions {
		i, err := strconv.Atoi(strings.TrimPrefix(r.Scop, "f"))
		if err != nil {
			t.Fatal(err)
		}
		b.compiled[i] = r.Compiled
		if !r.Compiled {
			t.Logf("f%d is left as it is: %s", i, r.Why)
		}
	}
	b.original, b.device, b.careful = filepath.Join(dir, "original"), filepath.Join(dir, "device"), filepath.Join(dir, "careful")
	flags := []string{"-O1", "-w", "-ffp-contract=off", "-fwrapv"}
	run(t, nil, "cc", append(flags, file, main, "-o", b.original, "-lm")...)
	if written := filepath.Join(dir, "out", "nests.c"); language == "cuda" {
		onHost(t, written, main, b.device)
	} else {
		run(t, nil, "cc", append(flags, written, main, "-o", b.device, "-lOpenCL", "-lm")...)
	}
	run(t, nil, "cc", "-O1", "-w", "-fsanitize=float-cast-overflow,signed-integer-overflow", file, main, "-o", b.careful, "-lm")
	return b
}

var undefinedAt = regexp.MustCompile(`nests\.c:(\d+):\d+: runtime error`)

// undefined are the nests that overflow integers at given sizes.
func (b *batch) undefined(t *testing.T, sizes ...string) map[int]bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), b.careful, sizes...)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	out := map[int]bool{}
	for _, m := range undefinedAt.FindAllStringSubmatch(said.String(), -1) {
		line, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		i, _ := slices.BinarySearch(b.ends, line)
		out[i] = true
	}
	return out
}

// tally counts what was tried.
type tally struct{ tried, accepted, judged, wrong int }

// compare compares what nests leave at given sizes. Elements may differ by rounding, and where small changes of the inputs change them more, by as much.
func (b *batch) compare(t *testing.T, sizes ...string) (sum tally) {
	t.Helper()
	want := values(t, run(t, nil, b.original, sizes...))
	got := values(t, run(t, []string{"PERF_SCOP_OPTIONS=-D SCOP_NO_FMA -cl-opt-disable"}, b.device, sizes...)) // PoCL 3.1 overwrites its own memory where it optimizes some loops with barriers
	var moved [][]float64
	for _, by := range []string{"1e-12", "-1e-12", "3e-12"} {
		moved = append(moved, values(t, run(t, []string{"PERTURB=" + by}, b.original, sizes...)))
	}
	if len(want) != perNest*len(b.texts) || len(got) != len(want) {
		t.Fatalf("%d and %d numbers of %d nests", len(want), len(got), len(b.texts))
	}
	undefined := b.undefined(t, sizes...)
	for i, text := range b.texts {
		sum.tried++
		if !b.compiled[i] {
			continue
		}
		sum.accepted++
		if undefined[i] {
			continue
		}
		part := func(all []float64) []float64 { return all[i*perNest : (i+1)*perNest] }
		var others [][]float64
		for _, m := range moved {
			others = append(others, part(m))
		}
		at, judged := differ(part(want), part(got), others)
		if judged {
			sum.judged++
		}
		if at >= 0 {
			sum.wrong++
			t.Errorf("sizes %v, number %d is %.17g, want %.17g\n%s", sizes, at, part(got)[at], part(want)[at], text)
		}
	}
	return sum
}

// differ is the first number that is wrong, −1 for none; judged is false where most cannot be compared, as numbers are not finite or change at random.
func differ(want, got []float64, moved [][]float64) (at int, judged bool) {
	at = -1
	finite := func(v float64) bool { return !math.IsNaN(v) && math.Abs(v) < 1e30 }
	count := 0
	for i, w := range want {
		spread := 0.0
		for _, m := range moved {
			spread = math.Max(spread, math.Abs(m[i]-w))
		}
		tolerance := 2e-6*math.Max(1, math.Abs(w)) + 1e3*spread
		if !finite(w) || !(tolerance <= 1e-3*math.Max(1, math.Abs(w))) {
			continue
		}
		count++
		if at < 0 && !(math.Abs(got[i]-w) <= tolerance) {
			at = i
		}
	}
	return at, count > len(want)/2
}

func values(t *testing.T, text string) (out []float64) {
	t.Helper()
	for ; len(text) >= 8; text = text[8:] {
		out = append(out, math.Float64frombits(binary.LittleEndian.Uint64([]byte(text[:8]))))
	}
	return out
}

// perBatch is how many nests a program has.
const perBatch = 24

// languages are those that batches can be compiled for here: OpenCL where it is, else CUDA on the host; LONG=1 takes both.
func languages(t *testing.T) (out []string) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no cc")
	}
	if haveOpenCL() {
		out = append(out, "opencl")
	}
	if _, err := exec.LookPath("g++"); err == nil && (len(out) == 0 || os.Getenv("LONG") != "") {
		out = append(out, "cuda")
	}
	if len(out) == 0 {
		t.Skip("there is neither OpenCL nor g++")
	}
	return out
}

// seeds are those of the nests that the environment asks for, as in SEEDS=240-480, or the first ones.
func seeds(t *testing.T) (first, end int) {
	t.Helper()
	end = perBatch / 4
	if os.Getenv("LONG") != "" {
		end = 20 * perBatch
	}
	if from, to, ok := strings.Cut(os.Getenv("SEEDS"), "-"); ok {
		var errs [2]error
		first, errs[0] = strconv.Atoi(from)
		end, errs[1] = strconv.Atoi(to)
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
	}
	return first, end
}

// TestRandomNests: programs with random nests as kernels do what they do as they are. LONG=1 tries many.
func TestRandomNests(t *testing.T) {
	for _, language := range languages(t) {
		t.Run(language, func(t *testing.T) { randomNests(t, language) })
	}
}

func randomNests(t *testing.T, language string) {
	var mu sync.Mutex
	var sum tally
	t.Run("seeds", func(t *testing.T) {
		for first, end := seeds(t); first < end; first += perBatch {
			t.Run(fmt.Sprint(first), func(t *testing.T) {
				t.Parallel()
				var texts []string
				for seed := range min(perBatch, end-first) {
					texts = append(texts, rapid.Custom([]func(*rapid.T) string{scoptest.Own, scoptest.Calls}[seed%2]).Example(first+seed))
				}
				b := newBatch(t, texts, language)
				for _, sizes := range [][]string{{"6", "5"}, {"3", "8"}} {
					n := b.compare(t, sizes...)
					mu.Lock()
					sum = tally{sum.tried + n.tried, sum.accepted + n.accepted, sum.judged + n.judged, sum.wrong + n.wrong}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("nests at sizes: %d tried, %d compiled, %d judged, %d wrong", sum.tried, sum.accepted, sum.judged, sum.wrong)
	if sum.accepted < sum.tried*3/4 || sum.judged < sum.accepted/2 {
		t.Error("too few are compared")
	}
}

// TestSumsOfTheirOwnArray: nests whose sums, products and extremes read other elements of the array that they go into.
func TestSumsOfTheirOwnArray(t *testing.T) {
	entries, err := os.ReadDir("testdata/own")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range entries {
		texts = append(texts, read(t, filepath.Join("testdata/own", e.Name())))
	}
	for _, language := range languages(t) {
		b := newBatch(t, texts, language)
		if slices.Contains(b.compiled, false) {
			t.Errorf("%s: some are not compiled", language)
		}
		b.compare(t, "6", "5")
	}
}
