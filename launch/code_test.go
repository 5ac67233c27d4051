package launch_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/internal/microbench"
	"gpuperf/kernel/script"
	"gpuperf/launch"
	"gpuperf/samples"
	"gpuperf/sass"
	"gpuperf/workload"
)

const recorded = "../testdata/h200/"

// counted is an instruction of machine code, and how often the hardware saw sub-groups execute it.
type counted struct {
	Address int64
	Text    string
	Warps   int64
}

// hardware reads the recorded counts by kernel.
func hardware(t *testing.T) map[string][]counted {
	t.Helper()
	f, err := os.Open(recorded + "counters.code.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]counted{}
	lines := bufio.NewScanner(unpacked)
	for lines.Buffer(nil, 1<<26); lines.Scan(); {
		var one struct {
			Kernel samples.Identity
			Code   []counted
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all[one.Kernel.Key()] = one.Code
	}
	return all
}

// listed are the cases of the list of kernels that were counted, functional programs left out.
func listed(t *testing.T) (all []*workload.Case) {
	t.Helper()
	text, err := os.ReadFile(recorded + "counters.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" || strings.Contains(line, ".lift") {
			continue
		}
		if strings.Contains(words[0], ".star") {
			all = append(all, scripted(t, words[0], sizesOf(words[2])...)...)
		} else {
			all = append(all, generated(t, words)...)
		}
	}
	return all
}

// scripted are the kernels of a script, or the one behind its #, each at sizes of those that it has.
func scripted(t *testing.T, path string, sizes ...map[string]int64) (all []*workload.Case) {
	t.Helper()
	file, name, one := strings.Cut(filepath.Join("..", path), "#")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	variants, err := script.Exec(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range variants {
		if one && v.Name != name {
			continue
		}
		k := workload.NewKernel(v.Kernel)
		for _, at := range sizes {
			own := maps.Clone(at)
			maps.DeleteFunc(own, func(name string, _ int64) bool { return !slices.Contains(v.Kernel.Params(), name) })
			id := samples.Identity{Source: filepath.Base(file), Variant: v.Name, Sizes: own}
			if !seen[id.Key()] {
				seen[id.Key()] = true
				all = append(all, &workload.Case{Kernel: k, Name: v.Name, Label: v.Name, Sizes: own, Identity: id})
			}
		}
	}
	return all
}

// generated are the measurement kernels of tags.
func generated(t *testing.T, tags []string) (all []*workload.Case) {
	t.Helper()
	filter, err := microbench.ParseFilter(tags, "")
	if err != nil {
		t.Fatal(tags, err)
	}
	list, err := microbench.Load()
	if err != nil {
		t.Fatal(err)
	}
	variants, err := list.Select(filter)
	if err != nil {
		t.Fatal(tags, err)
	}
	for _, v := range variants {
		k, err := v.Kernel()
		if err != nil {
			t.Fatal(v, err)
		}
		args := map[string]string{}
		for _, a := range v.Args {
			if _, size := v.Sizes[a.Name]; !size {
				args[a.Name] = a.Value.String()
			}
		}
		id := samples.Identity{Source: v.Generator, Args: args, Sizes: v.Sizes}
		all = append(all, &workload.Case{Kernel: workload.NewKernel(k), Name: v.Generator, Sizes: v.Sizes, Identity: id})
	}
	return all
}

// sizesOf reads sizes such as n=8191,m=1000, and n=1024,1040 for two of them.
func sizesOf(text string) []map[string]int64 {
	all, name := []map[string]int64{{}}, ""
	for _, one := range strings.Split(text, ",") {
		if before, value, ok := strings.Cut(one, "="); ok {
			name, one = before, value
		} else {
			all = append(all, maps.Clone(all[0]))
		}
		all[len(all)-1][name], _ = strconv.ParseInt(one, 10, 64)
	}
	return all
}

// codeOf is what samples keep of machine code, and how often sub-groups executed its instructions, by classes.
func codeOf(t *testing.T, c *workload.Case, list []counted) (*samples.Code, map[string]float64) {
	t.Helper()
	var text strings.Builder
	text.WriteString("\t\tFunction : kernel\n")
	for _, in := range list {
		fmt.Fprintf(&text, "        /*%04x*/                   %s ;\n", in.Address, in.Text)
	}
	listing, err := sass.Parse(text.String())
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	f := listing.Functions[0]
	job, err := c.On(samples.CUDA).Job(device.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	const first = 0x210 // of the parameters, in constant bank 0
	for at, i := first, 0; i < len(job.Args); i++ {
		a, bytes, name := job.Args[i], 4, ""
		if a.Kind == device.Buffer {
			name = a.Name
		}
		if name != "" || strings.HasSuffix(a.DType, "64") {
			bytes = 8
		}
		at = (at + bytes - 1) / bytes * bytes
		f.Parameters, names = append(f.Parameters, sass.Parameter{From: at, Bytes: bytes}), append(names, name)
		at += bytes
	}
	executed := map[string]float64{}
	for i, in := range list {
		if class := f.Instructions[i].Class(); class != sass.Nothing {
			executed[string(class)] += float64(in.Warps)
		}
	}
	return f.Code(names), executed
}

// TestExecutedByHardware compares how often instructions of machine code are executed, as found from the loops of the kernel, with what the
// hardware counted.
func TestExecutedByHardware(t *testing.T) {
	by := hardware(t)
	var errs []float64
	unsure := 0
	for _, c := range listed(t) {
		code, want := codeOf(t, c, by[c.Identity.Key()])
		p, err := c.Static(launch.Options{Device: facts.Of(samples.Fingerprint{Name: "NVIDIA H200"}), Compiled: true, Values: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Executed(c.Sizes, code)
		if reason := (*launch.NoCode)(nil); errors.As(err, &reason) {
			t.Logf("%s: %s", c, reason.Reason)
			unsure++
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		all, sum := 0.0, 0.0
		for class, n := range want {
			all += n
			sum += got.Classes[class]
		}
		groups, err := p.At(c.Sizes)
		if err != nil {
			t.Fatal(err)
		}
		totals, err := groups.Totals([]string{"f_static_sub_groups"})
		if err != nil {
			t.Fatal(err)
		}
		off := sum*totals[0]/all - 1
		errs = append(errs, math.Abs(off))
		if math.Abs(off) > 0.05 {
			t.Logf("%+.1f %% %s", 100*off, c)
		}
	}
	slices.Sort(errs)
	t.Logf("%d kernels: within %.2g of the hardware's count at half of them, %.2g at nine of ten, %.2g at all", len(errs), errs[len(errs)/2], errs[len(errs)*9/10], errs[len(errs)-1])
	if len(errs) < 90 || unsure > 4 || errs[len(errs)/2] > 1e-3 || errs[len(errs)*9/10] > 0.09 || errs[len(errs)-1] > 0.35 {
		t.Errorf("relative errors: %.3f", errs)
	}
}

// TestNoCode says why nothing is known with the binary.
func TestNoCode(t *testing.T) {
	cases := scripted(t, "examples/evaluation/general/polynomials.star#sines", map[string]int64{"n": 1 << 20, "m": 8})
	p, err := cases[0].Static(launch.Options{Device: facts.Of(samples.Fingerprint{Name: "NVIDIA H200"}), Compiled: true, Values: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		compiled *samples.Compiled
		want     string
	}{
		{nil, "not at hand"},
		{&samples.Compiled{Registers: 32}, "not at hand"},
		{&samples.Compiled{Code: &samples.Code{}}, "sines"},
	} {
		_, err := p.TotalsOf(test.compiled, cases[0].Sizes, []string{"f_static_code_single"})
		if reason := (*launch.NoCode)(nil); !errors.As(err, &reason) || !strings.Contains(reason.Reason, test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestResidents: what the driver tells of the compiled kernel goes before what is estimated.
func TestResidents(t *testing.T) {
	cases := scripted(t, "examples/matmul/matmul.star", map[string]int64{"n": 1024})
	p, err := cases[0].Static(launch.Options{Device: facts.Of(samples.Fingerprint{Name: "NVIDIA H200"}), Compiled: true, Values: true})
	if err != nil {
		t.Fatal(err)
	}
	share := func(c *samples.Compiled) float64 {
		v, err := p.TotalsOf(c, cases[0].Sizes, []string{"f_static_sub_group_share"})
		if err != nil {
			t.Fatal(err)
		}
		return 1 / v[0]
	}
	// Work-groups of 256 work-items, of which a multiprocessor has room for eight, or for 65536 registers.
	for _, test := range []struct {
		compiled *samples.Compiled
		want     float64
	}{{nil, 64}, {&samples.Compiled{Registers: 33}, 6 * 8}, {&samples.Compiled{Registers: 128}, 2 * 8}, {&samples.Compiled{Registers: 128, GroupsPerUnit: 3}, 3 * 8}} {
		if got := share(test.compiled); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%+v: %g sub-groups at once, want %g", test.compiled, got, test.want)
		}
	}
}
