package launches

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/sass"
)

// job launches what is called f, with a number and two buffers.
func job(grid, block int64) device.Job {
	return device.Job{
		Identity: samples.Identity{Source: "f.cu"}, Entry: "f", Global: []int64{grid * block}, Local: []int64{block},
		Args: []device.Arg{
			{Name: "n", Kind: device.Scalar, DType: "int32", Int: 4096},
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: 4096, Seed: 1},
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: 4096, Seed: 2, Write: true},
		},
	}
}

// listed are instructions, one after the other, as the listing of a function f.
func listed(instructions ...string) string {
	text := "Function : f\n"
	for i, in := range instructions {
		text += "/*" + strings.ToLower(string("0123456789abcdef"[i/16%16])) + string("0123456789abcdef"[i%16]) + "0*/ " + in + " ;\n"
	}
	return strings.ReplaceAll(text, "/*", "/*0")
}

// Code that traps, that never ends, that waits for ever or that leads out of itself is answered like any other, with what is wrong. What does not end
// is emulated with LONG=1, but for one such, in one way.
func TestHostileCode(t *testing.T) {
	for name, c := range map[string]struct {
		code []string
		says string // among the doubts and warnings
		runs bool   // up to a limit of work
	}{
		"a trap":            {[]string{"MOV R1, RZ", "BPT.TRAP 0x1", "EXIT"}, "is a trap", false},
		"no end":            {[]string{"MOV R1, RZ", "BRA 0x0", "EXIT"}, "the loop never ends by itself", true},
		"no exit":           {[]string{"MOV R1, RZ"}, "", false},
		"waits for ever":    {[]string{"S2R R0, SR_TID.X", "ISETP.GE.AND P0, PT, R0, 0x20, PT", "@P0 BRA 0x20", "BAR.SYNC 0x0", "EXIT"}, "the loop never ends by itself", true},
		"unknown opcode":    {[]string{"FROB R1, R2", "EXIT"}, "", false},
		"unknown target":    {[]string{"LDG.E R4, [R2]", "BRX R4 0x0", "EXIT"}, "", false},
		"unknown condition": {[]string{"LDG.E R4, [R2]", "ISETP.GE.AND P0, PT, R4, RZ, PT", "@P0 BRA 0x0", "@P0 EXIT", "BRA 0x10", "EXIT"}, "", true},
		"a call of nothing": {[]string{"CALL.REL.NOINC 0x7000", "EXIT"}, "", false},
		"a return":          {[]string{"RET.REL.NODEC R20 0x0", "EXIT"}, "", false},
		"a buffer's end":    {[]string{"MOV R2, c[0x0][0x218]", "MOV R3, c[0x0][0x21c]", "LDG.E R4, [R2.64+0x4000]", "EXIT"}, "memory behind the end of a buffer of the launch: 0x20", false},
		"an exit alone":     {[]string{"EXIT"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := sass.Parse(listed(c.code...))
			if err != nil {
				t.Skip("the listing is refused:", err)
			}
			all := !c.runs || os.Getenv("LONG") != ""
			for _, paths := range Paths {
				if !all && (paths != Paths[0] || name != "no end") {
					continue
				}
				r, err := Of(job(3, 64)).Run(t.Context(), l, Options{Device: sheet(t), Sensitivity: all && paths == Paths[0], Paths: paths})
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				if err := Write(&out, []*Report{r}); err != nil {
					t.Fatal(err)
				}
				if text := out.String() + strings.Join(r.All(), "\n"); !strings.Contains(text, c.says) {
					t.Errorf("%q is missing in\n%s", c.says, text)
				}
			}
		})
	}
}

// Launches that no device runs are refused, each with what is wrong; large ones are not.
func TestHostileLaunches(t *testing.T) {
	l, err := sass.Parse(listed("MOV R1, RZ", "EXIT"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*device.Job)
		want   string
	}{
		"no work-items":      {func(j *device.Job) { j.Global[0] = 0 }, "has 0 work-items in groups of 64"},
		"no groups":          {func(j *device.Job) { j.Local[0] = 0 }, "in groups of 0"},
		"a large group":      {func(j *device.Job) { j.Local[0] = 2048 }, "a device executes at most 1024"},
		"a large grid":       {func(j *device.Job) { j.Global[0] = (1 << 31) * 64 }, "has 2147483648 groups in dimension 1"},
		"a large axis":       {func(j *device.Job) { j.Global, j.Local = []int64{64, 1 << 16}, []int64{64, 1} }, "at most 65535"},
		"four dimensions":    {func(j *device.Job) { j.Global, j.Local = []int64{1, 1, 1, 1}, []int64{1, 1, 1, 1} }, "4 dimensions"},
		"much shared memory": {func(j *device.Job) { j.Dynamic = 1 << 20 }, "the device has 232448"},
		"the largest grid":   {func(j *device.Job) { j.Global, j.Local = []int64{(1<<31 - 1) * 64, 65535, 65535}, []int64{64, 1, 1} }, ""},
		"no arguments":       {func(j *device.Job) { j.Args = nil }, ""},
		"another kernel":     {func(j *device.Job) { j.Entry = "g" }, ""}, // there is one alone
	} {
		t.Run(name, func(t *testing.T) {
			one := job(3, 64)
			c.change(&one)
			r, err := Of(one).Run(t.Context(), l, Options{Device: sheet(t)})
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "" && (r.Seconds() <= 0 || r.Launches[0].Waves <= 0):
				t.Errorf("%+v", r.Launches[0].Result)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// The arguments must be those of the kernel, where the cubin tells its parameters.
func TestParameters(t *testing.T) {
	l, err := sass.Parse(listed("MOV R1, RZ", "EXIT"))
	if err != nil {
		t.Fatal(err)
	}
	for want, parameters := range map[string][]sass.Parameter{
		"has 2 parameters, and the arguments of the launch are 3": {{From: 0x210, Bytes: 4}, {From: 0x218, Bytes: 8}},
		"parameter 2 of f has 4 bytes, and the argument x has 8":  {{From: 0x210, Bytes: 4}, {From: 0x214, Bytes: 4}, {From: 0x218, Bytes: 8}},
		"": {{From: 0x210, Bytes: 4}, {From: 0x218, Bytes: 8}, {From: 0x220, Bytes: 8}},
	} {
		l.Functions[0].Parameters = parameters
		_, err := Of(job(3, 64)).Run(t.Context(), l, Options{Device: sheet(t)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Code of other architectures is emulated as if the device ran it, with a warning; what is older than sm_70 is refused.
func TestArchitectures(t *testing.T) {
	for _, arch := range []string{"sm_75", "sm_80", "sm_100", "sm_120"} {
		r := run(t, write(t, "matmul."+arch+".sass", product+"{registers: 24, shared: 2112}\n"), map[string]int64{"n": 256}, false)
		if all := strings.Join(r.All(), "\n"); !strings.Contains(all, "the code is for "+arch+", and taken to run on NVIDIA H200, which is sm_90") {
			t.Errorf("%s: %s", arch, all)
		}
		if len(r.Launches[0].Doubts) > 0 {
			t.Errorf("%s: %+v", arch, r.Launches[0].Doubts)
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "sass", "matmul.sass"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := sass.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	l.Functions[0].Target = "sm_60"
	one := job(4, 64)
	one.Entry = "matmul"
	if _, err := Of(one).Run(t.Context(), l, Options{Device: sheet(t)}); err == nil || !strings.Contains(err.Error(), "sm_70 is the oldest") {
		t.Error(err)
	}
}

// FuzzRun emulates whatever is a listing.
func FuzzRun(f *testing.F) {
	for _, code := range [][]string{
		{"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x218]", "IMAD.WIDE R2, R0, 0x4, R2", "LDG.E R4, desc[UR4][R2.64]", "FADD R4, R4, R4", "STG.E desc[UR4][R2.64], R4", "EXIT"},
		{"MOV R1, RZ", "IADD3 R1, R1, 0x1, RZ", "ISETP.LT.AND P0, PT, R1, 0x40, PT", "@P0 BRA 0x10", "BAR.SYNC 0x0", "LDS R3, [R1]", "STS [R1+0x4], R3", "EXIT"},
		{"BSSY B0, 0x40", "LDG.E R4, [R2]", "ISETP.GE.AND P0, PT, R4, RZ, PT", "@P0 BRA 0x40", "BSYNC B0", "RED.E.ADD desc[UR4][R2.64], R4", "EXIT"},
		{"LDGSTS.E.128 [R4], desc[UR4][R2.64]", "LDGDEPBAR", "DEPBAR.LE SB0, 0x0", "HMMA.16816.F32 R4, R8, R12, R4", "SHFL.BFLY PT, R3, R3, 0x1, 0x1f", "EXIT"},
	} {
		f.Add(listed(code...), int64(3), int64(64))
	}
	device := sheet(f)
	f.Fuzz(func(t *testing.T, text string, grid, block int64) {
		l, err := sass.Parse(text)
		if err != nil || grid > 1<<40 || grid < 0 || block > 1<<20 || block < 0 {
			t.Skip()
		}
		one := job(grid, block)
		one.Entry = l.Functions[0].Name
		r, err := Of(one).Run(t.Context(), l, Options{Device: device, Sensitivity: true})
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := Write(&out, []*Report{r}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.MarshalJSON(); err != nil {
			t.Fatal(err)
		}
	})
}
