package workload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/features"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/script"
	"gpuperf/samples"
)

// The kernel of Stevens and Klöckner, section 2.1, as the examples have it, and without its assumption.
var (
	assumption = `knl = lp.assume(knl, "n >= 1 and n % 16 = 0")`
	fitting    = example("../examples/matmul/matmul_prefetch.star")
	guarded    = strings.Replace(fitting, assumption, "", 1)
)

func example(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), assumption) {
		panic(fmt.Sprintf("%s: %v, or without the assumption", path, err))
	}
	return string(text)
}

func makeCase(t *testing.T, text string, sizes map[string]int64) *Case {
	t.Helper()
	variants, err := script.Exec("test.star", text)
	if err != nil {
		t.Fatal(err)
	}
	return &Case{
		Kernel:   NewKernel(variants[0].Kernel),
		Name:     variants[0].Name,
		Identity: samples.Identity{Source: "test.star", Sizes: sizes},
		Sizes:    sizes,
	}
}

// The kernel of section 2.1 computes on the device what the reference interpreter computes, with and without guards.
func TestDeviceAgreesWithReference(t *testing.T) {
	dev := devicetest.Open(t)
	for _, c := range []struct {
		text  string
		sizes []int64
	}{{fitting, []int64{16, 32, 64}}, {guarded, []int64{1, 5, 16, 17, 33, 50}}} {
		for _, n := range c.sizes {
			if _, err := makeCase(t, c.text, map[string]int64{"n": n}).Compare(context.Background(), dev); err != nil {
				t.Errorf("n = %d: %v", n, err)
			}
		}
	}
}

// A kernel whose loops are bounded by what memory holds is launched, and agrees with the reference, too.
func TestVerifyLoopsOfData(t *testing.T) {
	dev := devicetest.Open(t)
	text, err := os.ReadFile("../examples/spmv/spmv.star")
	if err != nil {
		t.Fatal(err)
	}
	c := makeCase(t, string(text), map[string]int64{"n": 4096, "nnz": 1 << 16})
	if wide, err := c.needsWide(); err != nil || wide {
		t.Errorf("indices of 64 bits: %v, %v", wide, err)
	}
	if _, err := Verify(context.Background(), dev, c); err != nil {
		t.Error(err)
	}
	for _, nnz := range []int64{1, 255, 5000} {
		c.Sizes = map[string]int64{"n": 256, "nnz": nnz}
		if _, err := c.Compare(context.Background(), dev); err != nil {
			t.Errorf("%d entries: %v", nnz, err)
		}
		// the average that counts take is that of the data
		nest, buffers := must(c.Nest()), must(c.buffers(must(c.Job(device.Policy{})), false))
		report, err := interp.Run(nest, c.Sizes, buffers)
		if err != nil || report.Loads["val"] != nnz {
			t.Errorf("%d entries: %d were loaded (%v)", nnz, report.Loads["val"], err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestSequenceOf(t *testing.T) {
	const base = "k = lp.make_kernel('{[i]: 0<=i<n}', 'y[i] = x[p[i]]', [lp.GlobalArg('x', 'float32', shape='n'), '...'])\n" +
		"k = lp.add_dtypes(k, {'p': 'int32'})\nk = lp.assume_values(k, 'p[i]', '%s')\n"
	for _, c := range []struct {
		value string
		want  string
	}{
		{"i", "{1 0 0 0 []}"},
		{"3", "{0 3 0 0 []}"},
		{"2*i - 3", "{2 -3 0 0 []}"},
		{"n*i + n*n", "{10 100 0 0 []}"},
		{"i*n // 4", "{10 0 4 0 []}"},
		{"(7*i + n) % n", "{7 10 0 10 []}"},
		{"(3*i + 1) // 2 % (n - 1)", "{3 1 2 9 []}"},
		{"i // (n - 10)", "the divisor n - 10 is 0"},
		{"i*i", "multiplies two variables"},
		{"i // 2 + 1", "{0 1 0 0 [{1 {1 0 2 0 []}}]}"},
		{"(i + 3*(i // n)) % 4", "{1 0 0 4 [{3 {1 0 10 0 []}}]}"},
		{"i % 3 + i // 2 % n", "{1 0 0 0 [{1 {1 0 2 0 []}} {-3 {1 0 3 0 []}} {-10 {1 0 20 0 []}}]}"},
		{"max(i, 2)", "max(i, 2) is not affine"},
	} {
		k := makeCase(t, fmt.Sprintf(base, c.value), map[string]int64{"n": 10})
		s, err := k.sequence("p")
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(*s)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.value, got, c.want)
		}
		if s, err := k.sequence("x"); s != nil || err != nil {
			t.Errorf("x: %v, %v", s, err)
		}
	}
}

// spoiled returns one wrong element of each output.
type spoiled struct{ device.Device }

func (d spoiled) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	r, err := d.Device.Run(ctx, job)
	if err == nil {
		for _, out := range r.Outputs {
			out[len(out)/2+3] ^= 1 // the exponent of a float32 in the middle
		}
	}
	return r, err
}

func TestVerifyCatchesAWrongResult(t *testing.T) {
	dev := devicetest.Open(t)
	c := makeCase(t, guarded, map[string]int64{"n": 4096})
	if _, err := Verify(context.Background(), dev, c); err != nil {
		t.Errorf("right result: %v", err)
	}
	_, err := Verify(context.Background(), spoiled{dev}, c)
	if err == nil || !strings.Contains(err.Error(), "the reference has") {
		t.Errorf("wrong result: got %v", err)
	}
}

func TestSmall(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{fitting, "n=32"}, // four work-groups of whole tiles
		{guarded, "n=17"}, // four work-groups, all but one partly filled
		{strings.Replace(fitting, assumption, `knl = lp.assume(knl, "n >= 100 and n % 32 = 7")`, 1), "n=103"},
	} {
		small, err := makeCase(t, c.text, nil).Small()
		if err != nil {
			t.Error(err)
			continue
		}
		if got := FormatSizes(small.Sizes); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	_, err := makeCase(t, strings.Replace(fitting, assumption, `knl = lp.assume(knl, "n >= 1000000")`, 1), nil).Small()
	if !errors.Is(err, ErrUnverified) {
		t.Errorf("a kernel of a million rows: got %v", err)
	}
}

func TestCheckSizes(t *testing.T) {
	for _, c := range []struct {
		sizes map[string]int64
		want  string
	}{
		{map[string]int64{"n": 32}, ""},
		{map[string]int64{}, "needs a size for n"},
		{map[string]int64{"m": 32}, "has no parameter m"},
		{map[string]int64{"n": 33}, "it assumes"},
		{map[string]int64{"n": 0}, "size n is 0"},
	} {
		err := makeCase(t, fitting, c.sizes).CheckSizes()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.sizes, err, c.want)
		}
	}
}

// The parts of an index may exceed 32 bits where the index does not: they are computed in 64 bits then, by the
// interpreter and by the device.
func TestWideIndexArithmetic(t *testing.T) {
	const n = 70000
	c := makeCase(t, `
k = lp.make_kernel("[n] -> {[i]: 0<=i<n}", "o[i] = a[(1000000*i+7) % n] + 1", [lp.GlobalArg("a", dtype="int32", shape="n"), "..."])
k = lp.split_iname(k, "i", 64, outer_tag="g.0", inner_tag="l.0")
`, map[string]int64{"n": n})
	job, err := c.Job(device.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(job.Source, "long const n") {
		t.Errorf("the source has indices of 32 bits:\n%s", job.Source)
	}
	got := must(c.buffers(job, false))
	if _, err := interp.Run(must(c.Nest()), c.Sizes, got); err != nil {
		t.Fatal(err)
	}
	for i := range int64(n) {
		if want := got["a"].Int(int((1000000*i+7)%n)) + 1; got["o"].Int(int(i)) != want {
			t.Fatalf("o[%d] is %d, want %d", i, got["o"].Int(int(i)), want)
		}
	}
	if _, err := c.Compare(context.Background(), devicetest.Open(t)); err != nil {
		t.Error(err)
	}
}

// Arrays of more than 2^31 elements get indices of 64 bits.
func TestWideIndices(t *testing.T) {
	for n, want := range map[int64]string{46336: "int const n", 46352: "long const n"} {
		job, err := makeCase(t, fitting, map[string]int64{"n": n}).Job(device.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(job.Source, want) {
			t.Errorf("n = %d: no %q in the source", n, want)
		}
	}
}

func TestFeatures(t *testing.T) {
	id, err := features.ParseID("f_op_float32_madd")
	if err != nil {
		t.Fatal(err)
	}
	values, err := makeCase(t, fitting, map[string]int64{"n": 64}).Features(nil, []features.ID{id}, 16)
	if err != nil || values["f_op_float32_madd"] != 64*64*64/16 {
		t.Errorf("got %v, %v", values, err)
	}
}
