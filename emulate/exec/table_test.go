package exec

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/sass"
)

// listing is a function of these instructions, one a line. A line may begin with a label.
func listing(t testing.TB, lines ...string) *sass.Function {
	t.Helper()
	var b strings.Builder
	b.WriteString("\t.section\t.text.k\n.text.k:\n")
	at := 0
	for _, line := range lines {
		if label, rest, ok := strings.Cut(line, ": "); ok {
			fmt.Fprintf(&b, "%s:\n", label)
			line = rest
		}
		fmt.Fprintf(&b, "        /*%04x*/ %s ;\n", at, line)
		at += instructionSize
	}
	l, err := sass.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return l.Functions[0]
}

// start binds instructions to a launch of one sub-group of 32.
func start(t testing.TB, assume Assumptions, lines ...string) (*Launch, *Warp) {
	t.Helper()
	job := device.Job{Global: []int64{64}, Local: []int64{32}, Args: []device.Arg{
		{Name: "x", Kind: device.Buffer, DType: "uint32", Count: 64, Sequence: &device.Sequence{Mul: 3}},
		{Kind: device.Scalar, DType: "int32", Int: -7},
	}}
	l, err := New(listing(t, lines...), job, assume)
	if err != nil {
		t.Fatal(err)
	}
	return l, l.Group([3]uint32{1, 0, 0}).Warps[0]
}

// registers are the names of registers with their values in all lanes: R1=7, P0=1, UR2=?, which is unknown, and R3=lane.
type setting struct {
	register sass.Register
	value    string
}

func settings(t testing.TB, text string) (all []setting) {
	t.Helper()
	for _, word := range strings.Fields(text) {
		name, value, ok := strings.Cut(word, "=")
		n, err := strconv.Atoi(strings.TrimLeft(name, "RUP"))
		file := map[string]sass.File{"R": sass.General, "UR": sass.Uniform, "P": sass.Predicate, "UP": sass.UniformPredicate}[strings.TrimRight(name, "0123456789")]
		if !ok || err != nil || file == sass.NoFile {
			t.Fatalf("%q is no setting", word)
		}
		all = append(all, setting{sass.Register{File: file, Index: n}, value})
	}
	return all
}

// put writes settings.
func put(t testing.TB, f *file, text string) {
	t.Helper()
	for _, s := range settings(t, text) {
		known := uint32(all)
		if s.value == "?" {
			known = 0
		}
		predicate := s.register.File == sass.Predicate || s.register.File == sass.UniformPredicate
		var values row
		for i := range values {
			v, err := strconv.ParseInt(s.value, 0, 64)
			if s.value == "lane" {
				v = int64(i)
			} else if err != nil && known != 0 {
				t.Fatalf("%q is no value", s.value)
			}
			values[i] = uint32(v)
		}
		if predicate {
			f.setPredicate(reads(s.register), all, truth{-(values[0] & 1), known})
		} else {
			f.set(reads(s.register), all, &values, known)
		}
	}
}

// get gives the value of a register in a lane as settings have it.
func get(f *file, r sass.Register, lane int) string {
	n := reads(r)
	if r.File == sass.Predicate || r.File == sass.UniformPredicate {
		switch b := f.preds[n]; {
		case b.known>>lane&1 == 0:
			return "?"
		default:
			return strconv.Itoa(int(b.value >> lane & 1))
		}
	}
	if f.known[n]>>lane&1 == 0 {
		return "?"
	}
	return fmt.Sprintf("%#x", f.rows[n][lane])
}

// TestTable executes the instructions of testdata/opcodes.txt: an instruction, what registers hold before it, and after it.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("testdata/opcodes.txt")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for n, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, ";")
		if len(parts) != 3 {
			t.Fatalf("opcodes.txt:%d: expected an instruction, what is before, and what comes after", n+1)
		}
		l, w := start(t, Assumptions{}, strings.TrimSpace(parts[0]), "EXIT")
		tested[l.ops[0].in.Name] = true
		f := w.path.file
		put(t, f, parts[1])
		w.Step()
		for _, s := range settings(t, parts[2]) {
			want := s.value
			if v, err := strconv.ParseInt(want, 0, 64); err == nil && s.register.File != sass.Predicate && s.register.File != sass.UniformPredicate {
				want = fmt.Sprintf("%#x", uint32(v))
			}
			for _, lane := range []int{0, 17, 31} {
				if want == "lane" {
					want = fmt.Sprintf("%#x", lane)
				}
				if got := get(f, s.register, lane); got != want {
					t.Errorf("opcodes.txt:%d: %s: %v is %s in lane %d, and should be %s", n+1, strings.TrimSpace(parts[0]), s.register, got, lane, want)
					break
				}
				if s.value == "lane" {
					want = "lane"
				}
			}
		}
		for _, d := range l.Doubts() {
			if d.Kind == UnknownOpcode {
				t.Errorf("opcodes.txt:%d: %s is not known", n+1, parts[0])
			}
		}
	}
	for name, f := range forms {
		if f.compute != nil && !tested[name] && !tested["U"+name] {
			t.Errorf("opcodes.txt has no row for %s", name)
		}
	}
}
