package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/cfront"
	"gpuperf/compile"
	"gpuperf/compile/ssa"
	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/internal/ctest/ckerneltest"
	"gpuperf/internal/round"
	"gpuperf/kernel/expr"
)

// bits are those of a number as an element of a type.
func bits(x float64, t expr.DType) []byte {
	var word uint64
	switch t {
	case expr.Float64:
		word = math.Float64bits(x)
	case expr.Float32:
		word = uint64(math.Float32bits(float32(x)))
	case expr.Float16:
		word = uint64(round.ToHalf(x, round.Nearest))
	default:
		word = uint64(int64(x))
	}
	return binary.LittleEndian.AppendUint64(nil, word)[:t.Size()]
}

// number is the inverse.
func number(b []byte, t expr.DType) float64 {
	var word [8]byte
	copy(word[:], b)
	n := binary.LittleEndian.Uint64(word[:])
	switch t {
	case expr.Float64:
		return math.Float64frombits(n)
	case expr.Float32:
		return float64(math.Float32frombits(uint32(n)))
	case expr.Float16:
		return round.FromHalf(uint16(n))
	}
	shift := 64 - 8*t.Size()
	if t.IsSigned() {
		return float64(int64(n<<shift) >> shift)
	}
	return float64(n)
}

// job is a launch with buffers as long as the interpreter has found that they are.
func job(dir string, l ckerneltest.Launch, memory map[string][]float64, local map[string]int64) (device.Job, error) {
	j := device.Job{}
	for axis, n := range l.Local {
		j.Local, j.Global = append(j.Local, n), append(j.Global, n*l.Groups[axis])
	}
	buffer := func(name string, kind device.ArgKind, t expr.DType, room int) (device.Arg, error) {
		n := int64(len(memory[name]) + room)
		var data []byte
		for k := range n {
			data = append(data, bits(l.Start(name, k), t)...)
		}
		path := filepath.Join(dir, name)
		return device.Arg{Name: name, Kind: kind, DType: string(t), Count: n, File: &device.File{Path: path}}, os.WriteFile(path, data, 0o600)
	}
	for name := range memory {
		if !slices.ContainsFunc(l.Function.Params, func(p *cfront.Var) bool { return p.Name == name }) {
			a, err := buffer(name, device.Variable, expr.Float32, 0) // those of the examples
			if err != nil {
				return j, err
			}
			j.Variables = append(j.Variables, a)
		}
	}
	for _, p := range l.Function.Params {
		t := p.DType.Base()
		pointer := p.Pointer || len(p.Dims) > 0
		switch {
		case pointer && p.Space == cfront.LocalSpace:
			j.Args = append(j.Args, device.Arg{Name: p.Name, Kind: device.Local, DType: string(t), Count: local[p.Name]})
		case pointer:
			a, err := buffer(p.Name, device.Buffer, t, 64)
			if err != nil {
				return j, err
			}
			j.Args = append(j.Args, a)
		default:
			a := device.Arg{Name: p.Name, Kind: device.Scalar, DType: string(t), Int: int64(l.Args[p.Name])}
			if t.IsFloat() {
				a.Int, a.Float = 0, l.Args[p.Name]
			}
			j.Args = append(j.Args, a)
		}
	}
	return j, nil
}

// interpreted compares what the code of a launch writes with what the interpreter of its text does. Code with fewer passes must do the same.
func interpreted(dir, text string, l ckerneltest.Launch, local map[string]int64, registers int, passes []int) error {
	report, err := ckerneltest.Run(l)
	if err != nil {
		return err
	}
	j, err := job(dir, l, report.Memory, local)
	if err != nil {
		return err
	}
	j.Source, j.Entry = text, l.Function.Name
	for _, n := range passes {
		p, err := compile.Job(context.Background(), j, compile.Options{Architecture: "sm_90", Language: l.File.Language, Passes: n, Registers: registers})
		if err != nil && registers > 0 && strings.Contains(err.Error(), "registers and may have") {
			continue
		}
		if err != nil {
			return err
		}
		if err := sameMemory(p, l, j, report); err != nil {
			return fmt.Errorf("with %d passes: %w", n, err)
		}
	}
	return nil
}

// sameMemory runs code group by group, and compares what they leave together.
func sameMemory(p *compile.Program, l ckerneltest.Launch, j device.Job, report *ckerneltest.Report) error {
	launch, err := exec.New(p.Function, j, exec.Assumptions{})
	if err != nil {
		return err
	}
	changed := map[string][]float64{} // by how much, as sums of several groups add up
	for n := range uint32(l.Groups[0] * l.Groups[1] * l.Groups[2]) {
		x, y := uint32(l.Groups[0]), uint32(l.Groups[1])
		g := launch.Group([3]uint32{n % x, n / x % y, n / x / y})
		if g.Run(1_000_000); !g.Ended() {
			return fmt.Errorf("it does not end")
		}
		for _, a := range buffers(j) {
			got, t := must(g.Read(a.Name, 0, a.Bytes())), expr.DType(a.DType)
			if changed[a.Name] == nil {
				changed[a.Name] = make([]float64, a.Count)
			}
			for i := range changed[a.Name] {
				changed[a.Name][i] += number(got[int64(i)*t.Size():][:t.Size()], t) - l.Start(a.Name, int64(i))
			}
		}
	}
	for _, a := range buffers(j) {
		want := report.Memory[a.Name]
		most := 1.0
		for _, x := range want {
			most = max(most, math.Abs(x))
		}
		for i, want := range want {
			got := changed[a.Name][i] + l.Start(a.Name, int64(i))
			if math.Abs(got-want) > 1e-5*most && got == got && math.Abs(want) < math.MaxInt32 {
				return fmt.Errorf("%s[%d] is %g and should be %g\n%s", a.Name, i, got, want, p.Listing)
			}
		}
	}
	return nil
}

// buffers are the arguments that are buffers.
func buffers(j device.Job) []device.Arg {
	return slices.DeleteFunc(slices.Clone(j.Args), func(a device.Arg) bool { return a.Kind != device.Buffer })
}

func must(data []byte, _ []bool) []byte { return data }

// TestPrograms: random kernel functions in both languages compute what their text says, after some of the passes and after all, with
// as many registers as they like, and with few.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		r := ckerneltest.Program(t)
		f, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		l, err := r.Launch(f, rapid.SampledFrom(r.Sizes).Draw(t, "sizes"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.Text, "shfl") || strings.Contains(r.Text, "sub_group") {
			t.Skip("lanes that a work-group does not fill")
		}
		passes := []int{rapid.IntRange(1, len(ssa.Passes)).Draw(t, "passes"), len(ssa.Passes)}
		registers := rapid.SampledFrom([]int{0, 0, 12, 16, 24}).Draw(t, "registers")
		if err := interpreted(dir, r.Text, l, nil, registers, passes); err != nil {
			t.Fatalf("%v\n%s", err, r.Text)
		}
	})
}

// notCompiled is what examples have that is not compiled yet.
var notCompiled = map[string]string{}

// TestCorpus: the kernel functions of the examples compute what their text says.
func TestCorpus(t *testing.T) {
	for _, e := range ckerneltest.Corpus {
		t.Run(e.Name()+strings.Join(e.Global, ","), func(t *testing.T) {
			f, err := e.Read("../examples")
			if err != nil {
				t.Fatal(err)
			}
			l, err := e.Launch(f, e.Sizes[0])
			if err != nil {
				t.Fatal(err)
			}
			local := map[string]int64{}
			for name, text := range e.Dynamic {

				var n int64
				fmt.Sscan(text, &n)
				local[name] = n
			}
			err = interpreted(t.TempDir(), f.Text(), l, local, 0, []int{0})
			if lacks := notCompiled[e.File]; err != nil && (lacks == "" || !strings.Contains(err.Error(), lacks)) {
				t.Error(err)
			}
		})
	}
}
