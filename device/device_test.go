package device

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gpuperf/samples"
)

// decode reads element i of filled data as a number.
func decode(dtype string, b []byte, i int64) float64 {
	size := DTypeSize(dtype)
	e := b[i*size : (i+1)*size]
	switch dtype {
	case "float64":
		return math.Float64frombits(binary.LittleEndian.Uint64(e))
	case "float32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(e)))
	case "bfloat16":
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(e)) << 16))
	case "float16":
		h := binary.LittleEndian.Uint16(e)
		return math.Ldexp(float64(1<<10|h&(1<<10-1)), int(h>>10)-15-10)
	}
	var v uint64
	for k := len(e) - 1; k >= 0; k-- {
		v = v<<8 | uint64(e[k])
	}
	return float64(v)
}

func TestFillRange(t *testing.T) {
	for dtype, spec := range dtypes {
		const n = 100000
		b := make([]byte, n*spec.size)
		Fill(dtype, b, 7)
		lo, hi, mean := 1.0, 16.0, 8.5
		if spec.float {
			lo, hi, mean = 0.5, math.Nextafter(1.5, 0), 1
		}
		sum := 0.0
		for i := range int64(n) {
			v := decode(dtype, b, i)
			if v < lo || v > hi {
				t.Fatalf("%s: element %d is %g", dtype, i, v)
			}
			sum += v
		}
		if got := sum / n; math.Abs(got-mean) > 0.02*mean {
			t.Errorf("%s: mean %g, want about %g", dtype, got, mean)
		}
	}
}

// TestFillIsFixed holds the data in place: recorded results and the reference interpreter depend on it.
func TestFillIsFixed(t *testing.T) {
	want := map[string]string{
		"float16": "d76beba9ae53ff0b",
		"float32": "301e343a08b58761",
		"float64": "ab13940fcd6777c6",
		"int8":    "c48217095d416abe",
		"int16":   "b575218671f2d457",
		"int32":   "42a8c01d974eb67e",
		"int64":   "6ed7c91ddee5c097",
	}
	for dtype := range want {
		b := make([]byte, 1000*DTypeSize(dtype))
		Fill(dtype, b, 42)
		h := sha256.Sum256(b)
		if got := hex.EncodeToString(h[:8]); got != want[dtype] {
			t.Errorf("%s: the data has changed, its hash is %s", dtype, got)
		}
	}
}

func TestFillByParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dtype := rapid.SampledFrom([]string{"int8", "uint16", "int32", "uint64", "float16", "float32", "float64"}).Draw(t, "dtype")
		size := DTypeSize(dtype)
		n := rapid.Int64Range(1, 3<<20/size).Draw(t, "n")
		cut := rapid.Int64Range(0, n).Draw(t, "cut")
		seed := rapid.Uint64().Draw(t, "seed")
		whole, parts := make([]byte, n*size), make([]byte, n*size)
		Fill(dtype, whole, seed)
		Arg{DType: dtype, Seed: seed}.Fill(parts[:cut*size], 0)
		Arg{DType: dtype, Seed: seed}.Fill(parts[cut*size:], cut)
		if !bytes.Equal(whole, parts) {
			t.Fatalf("%s: parts differ from the whole", dtype)
		}
	})
}

func TestFillSeedsDiffer(t *testing.T) {
	a, b := make([]byte, 4096), make([]byte, 4096)
	for seed := range uint64(20) {
		Fill("float32", a, seed)
		Fill("float32", b, seed+1)
		same := 0
		for i := 0; i < len(a); i += 4 {
			if bytes.Equal(a[i:i+4], b[i:i+4]) {
				same++
			}
		}
		// Neither the same sequence nor one shifted by an element.
		if same > 2 || bytes.Contains(b, a[4:64]) || bytes.Contains(a, b[4:64]) {
			t.Errorf("seeds %d and %d: related data", seed, seed+1)
		}
	}
}

func TestScalarBytes(t *testing.T) {
	for _, tt := range []struct {
		arg  Arg
		want string // hex, or an error
	}{
		{Arg{DType: "int32", Int: -2}, "feffffff"},
		{Arg{DType: "uint8", Int: 255}, "ff"},
		{Arg{DType: "int64", Int: 1 << 40}, "0000000000010000"},
		{Arg{DType: "float32", Float: 1.5}, "0000c03f"},
		{Arg{DType: "float64", Float: 1.5}, "000000000000f83f"},
		{Arg{DType: "int8", Int: 128}, "128 does not fit int8"},
		{Arg{DType: "uint32", Int: -1}, "-1 does not fit uint32"},
		{Arg{DType: "float32", Float: 1e300}, "1e+300 does not fit float32"},
		{Arg{DType: "float16", Float: 1}, "a float16 cannot be passed by value"},
		{Arg{DType: "quad"}, `unknown dtype "quad"`},
	} {
		b, err := tt.arg.ScalarBytes()
		got := hex.EncodeToString(b)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.arg, got, tt.want)
		}
	}
}

func testInfo(name, platform, typ string, p, d int) Info {
	return Info{Fingerprint: samples.Fingerprint{Name: name, Platform: platform, Vendor: platform + " Corp", Type: typ}, PlatformIndex: p, DeviceIndex: d}
}

func TestSelect(t *testing.T) {
	cpu := testInfo("pthread-Xeon", "Portable Computing Language", "cpu", 0, 0)
	a := testInfo("NVIDIA H200", "NVIDIA CUDA", "gpu", 1, 0)
	b := testInfo("NVIDIA H200 NVL", "NVIDIA CUDA", "gpu", 1, 1)
	b.UUID = "abcd0000000000000000000000000000"
	all := []Info{cpu, a, b}
	for _, tt := range []struct {
		all   []Info
		query string
		want  string // index, or a part of the error
	}{
		{all, "", "1"},
		{[]Info{cpu}, "", "0"},
		{nil, "", "no device was found"},
		{all, "0", "0"},
		{all, "2", "2"},
		{all, "1:1", "2"},
		{all, "xeon", "0"},
		{all, "cpu", "0"},
		{all, "nvidia h200", "1"}, // the whole name before a part
		{all, "NVL", "2"},
		{all, "abcd", "2"},
		{all, "portable", "0"},
		{all, "gpu", `"gpu" names 2 devices; choose one by its index:` + "\n  1  NVIDIA H200, gpu, platform NVIDIA CUDA\n  2  NVIDIA H200 NVL"},
		{all, "cuda", `"cuda" names 2 devices`},
		{all, "3", "a number is the index of a device, and there is no device 3; there are:\n  0  pthread-Xeon"},
		{all, "200", "a number is the index of a device, and there is no device 200"}, // and no part of a name
		{all, "-1", "a number is the index of a device, and there is no device -1"},
		{all, "1:7", "no device is named \"1:7\""},
		{all, "titan", `no device is named "titan"`},
	} {
		i, err := Select(tt.all, tt.query)
		got := fmt.Sprint(i)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.query, got, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	dev := Info{Fingerprint: samples.Fingerprint{
		Name: "d", LocalMem: 1000, GlobalMem: 10000, MaxAlloc: 5000, MaxWorkGroup: 256, MaxWorkItems: []int64{256, 256, 4},
	}, Extensions: []string{"cl_khr_icd", "cl_khr_fp16"}}
	good := func() Job {
		return Job{
			Source: "k", Entry: "k", Global: []int64{32, 32, 32}, Local: []int64{8, 8, 4},
			Args: []Arg{
				{Name: "a", Kind: Buffer, DType: "float32", Count: 1000},
				{Name: "n", Kind: Scalar, DType: "int32", Int: 5},
				{Name: "t", Kind: Local, DType: "float32", Count: 100},
			}, Keep: []string{"a"},
		}
	}
	if err := good().Check(dev.Limits()); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Job){
		"float64, and the device lacks cl_khr_fp64": func(j *Job) { j.Source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" },
		"names no kernel":                             func(j *Job) { j.Entry = "" },
		"4 dimensions":                                func(j *Job) { j.Global = []int64{1, 1, 1, 1} },
		"work-group has 1 dimensions":                 func(j *Job) { j.Local = []int64{1} },
		"unknown mode":                                func(j *Job) { j.Mode = "x" },
		"asks for the contents of n":                  func(j *Job) { j.Keep = []string{"n"} },
		`unknown dtype "float"`:                       func(j *Job) { j.Args[0].DType = "float" },
		`unknown kind "image"`:                        func(j *Job) { j.Args[2].Kind = "image" },
		"has 0 elements":                              func(j *Job) { j.Args[0].Count = 0 },
		"exceed any memory":                           func(j *Job) { j.Args[0].Count = math.MaxInt64 / 2 },
		"from Int, not from Float":                    func(j *Job) { j.Args[1].Float = 1 },
		"-1 does not fit uint32":                      func(j *Job) { j.Args[1].DType, j.Args[1].Int = "uint32", -1 },
		"dimension 1 of the launch has 0":             func(j *Job) { j.Global[1] = 0 },
		"dimension 0 of the work-group has -8":        func(j *Job) { j.Local[0] = -8 },
		"33 work-items do not divide":                 func(j *Job) { j.Global[0] = 33 },
		"has 8 work-items, the device allows 4":       func(j *Job) { j.Local[2] = 8 },
		"work-group of 512 work-items":                func(j *Job) { j.Local[0] = 16 },
		"a buffer of 8000 bytes":                      func(j *Job) { j.Args[0].DType = "float64" },
		"1004 bytes of local memory for a work-group": func(j *Job) { j.Args[2].Count = 251 },
		"12000 bytes of buffers": func(j *Job) {
			for _, name := range []string{"b", "c"} {
				other := j.Args[0]
				other.Name = name
				j.Args = append(j.Args, other)
			}
		},
		"a has 1000 elements of float32 in one place and 2 of float32 in another": func(j *Job) {
			j.Args = append(j.Args, Arg{Name: "a", Kind: Buffer, DType: "float32", Count: 2})
		},
		"1010 bytes of local memory": func(j *Job) { j.Dynamic = 610 },
		"12800 bytes of buffers": func(j *Job) {
			j.Args[0].Count = 1200
			j.Args[0].Read, j.Args[0].Write = true, true
			j.Args = append(j.Args, Arg{Name: "b", Kind: Buffer, DType: "float32", Count: 800})
		},
	} {
		j := good()
		change(&j)
		err := j.Check(dev.Limits())
		if err == nil || err.Status != samples.Refused || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestCheckNeverPanics tries odd numbers everywhere.
func TestCheckNeverPanics(t *testing.T) {
	odd := rapid.SampledFrom([]int64{0, 1, -1, 2, 256, math.MaxInt32, 1 << 40, math.MaxInt64, math.MinInt64})
	rapid.Check(t, func(t *rapid.T) {
		j := Job{
			Entry: "k", Global: rapid.SliceOfN(odd, 0, 4).Draw(t, "global"), Local: rapid.SliceOfN(odd, 0, 4).Draw(t, "local"),
			Args: []Arg{
				{Kind: Buffer, DType: "float64", Count: odd.Draw(t, "count"), Read: true, Write: true},
				{Kind: Local, DType: "int16", Count: odd.Draw(t, "local count")},
				{Kind: Buffer, DType: "int8", Count: odd.Draw(t, "count 2")},
			},
		}
		dev := Info{Fingerprint: samples.Fingerprint{GlobalMem: odd.Draw(t, "global mem"), MaxWorkGroup: 1024}}
		if err := j.Check(dev.Limits()); err == nil {
			for i, g := range j.Global {
				if g <= 0 || len(j.Local) > 0 && g%j.Local[i] != 0 {
					t.Fatalf("accepted %+v", j)
				}
			}
		}
	})
}

func TestPolicy(t *testing.T) {
	noisy := make([]float64, 0, 60)
	for i := range 60 {
		noisy = append(noisy, 1+float64(i%7)/10)
	}
	even := make([]float64, 60)
	for i := range even {
		even[i] = 1
	}
	for name, tt := range map[string]struct {
		policy Policy
		trials []float64
		spent  time.Duration
		want   bool
	}{
		"steady, few":           {Policy{}, even[:9], 0, false},
		"steady, enough":        {Policy{}, even[:10], 0, true},
		"noisy":                 {Policy{}, noisy[:59], 0, false},
		"noisy, all":            {Policy{}, noisy[:60], 0, true},
		"noisy, tolerated":      {Policy{RelCI: 0.9}, noisy[:12], 0, true},
		"fixed number":          {Policy{RelCI: -1}, even[:59], 0, false},
		"out of time":           {Policy{}, noisy[:3], 11 * time.Second, true},
		"out of time, too few":  {Policy{}, noisy[:2], 11 * time.Second, false},
		"single trial wanted":   {Policy{Trials: 1}, noisy[:1], 0, true},
		"fewer than the least":  {Policy{Trials: 5}, even[:4], 0, false},
		"own least":             {Policy{MinTrials: 20}, even[:19], 0, false},
		"own limit":             {Policy{TimeLimit: time.Millisecond}, noisy[:5], time.Millisecond, true},
		"nothing yet, no time":  {Policy{}, nil, time.Hour, false},
		"certain, but early":    {Policy{MinTime: time.Second}, even[:60], 900 * time.Millisecond, false},
		"certain, and late":     {Policy{MinTime: time.Second}, even[:10], time.Second, true},
		"longer than the limit": {Policy{MinTime: 20 * time.Second}, even[:60], 11 * time.Second, false},
		"more than the default": {Policy{Trials: 100, RelCI: -1}, even[:60], 0, false},
	} {
		if got := tt.policy.WithDefaults().Enough(tt.trials, tt.spent); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSteady(t *testing.T) {
	for _, tt := range []struct {
		runs []float64
		want bool
	}{
		{nil, false},
		{[]float64{1, 1, 1}, false},
		{[]float64{9, 1, 1.01, 1, 1.015}, true},
		{[]float64{1, 1, 1, 1.03}, false},
	} {
		if got := Steady(tt.runs); got != tt.want {
			t.Errorf("%v: %v", tt.runs, got)
		}
	}
}

func TestJobTravelsAsJSON(t *testing.T) {
	want := Job{
		Identity: samples.Identity{Source: "s", Sizes: map[string]int64{"n": 4}}, Source: "x", Entry: "k", Options: "-w",
		Global: []int64{4}, Local: []int64{2}, Mode: samples.Cold, Keep: []string{"a"},
		Args:   []Arg{{Name: "a", Kind: Buffer, DType: "int8", Count: 3, Seed: math.MaxUint64, Read: true, Write: true}, {Kind: Scalar, DType: "int64", Int: math.MinInt64}, {Kind: Scalar, DType: "float64", Float: math.Pi}},
		Policy: Policy{Trials: 1, MinTrials: 2, RelCI: 0.5, MinWarmUp: 1, MaxWarmUp: 2, TimeLimit: 3},
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Job
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkFillFloat32(b *testing.B) {
	dst := make([]byte, 64<<20)
	b.SetBytes(int64(len(dst)))
	for b.Loop() {
		Fill("float32", dst, 1)
	}
}
