package sass_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/internal/lists"
	"gpuperf/sass"

	"github.com/google/go-cmp/cmp"

	"gpuperf/internal/golden"
)

// recorded is where listings of kernels of our own are; record.sh made them there.
const recorded = "../testdata/sass"

// eachRecorded reads each listing that has the recorded oracle with this ending, and the oracle's lines.
func eachRecorded(t *testing.T, ending string, check func(t *testing.T, l *sass.Listing, oracle []string)) {
	files, err := filepath.Glob(filepath.Join(recorded, "*"+ending))
	if err != nil || len(files) < 9 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ending)
		t.Run(name, func(t *testing.T) {
			l, err := sass.ReadFile(t.Context(), filepath.Join(recorded, name+".sass"))
			if err != nil {
				t.Fatal(err)
			}
			if len(l.Warnings) > 0 {
				t.Error(l.Warnings)
			}
			check(t, l, linesOf(t, file))
		})
	}
}

func linesOf(t *testing.T, file string) (lines []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		scanner = bufio.NewScanner(z)
	}
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}

// lifeRanges reads the columns of `nvdisasm -plr`: of each instruction, the registers that it writes (^), reads (v), or both (x).
type lifeRanges struct {
	columns  map[sass.Register][2]int // from and to which byte of a line
	function string
	found    map[string]string // as instructionRanges prints them, by function and address
}

var (
	rangeFiles    = map[string]sass.File{"GPR": sass.General, "PRED": sass.Predicate, "UGPR": sass.Uniform, "UPRED": sass.UniformPredicate}
	rangeAddress  = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/`)
	rangeRegister = regexp.MustCompile(`\d+`)
	rangeFunction = regexp.MustCompile(`^\.text\.([^:]+):`)
)

func (r *lifeRanges) line(line, before string) {
	from := strings.Index(line, "// |")
	switch m := rangeAddress.FindStringSubmatch(line); {
	case from < 0:
	case rangeFunction.MatchString(line):
		r.function = rangeFunction.FindStringSubmatch(line)[1]
	case strings.Contains(line[from:], "#"):
		r.header(line, before, from)
	case m != nil:
		r.found[r.function+" "+m[1]] = instructionRanges(r.marked(line, "^x"), r.marked(line, "vx"))
	}
}

// header finds the columns: a line of files, as long as that of registers, stands before it.
func (r *lifeRanges) header(line, files string, from int) {
	r.columns = map[sass.Register][2]int{}
	for at := from + 3; at < len(line)-1; {
		end := at + 1 + strings.IndexByte(line[at+1:], '|')
		if end <= at {
			break
		}
		file := rangeFiles[strings.TrimSpace(files[at+1:end])]
		for _, m := range rangeRegister.FindAllStringIndex(line[at:end], -1) {
			n, _ := strconv.Atoi(line[at+m[0] : at+m[1]])
			r.columns[sass.Register{file, n}] = [2]int{at + m[0], at + m[1]}
		}
		at = end
	}
}

// marked lists the registers with one of the marks in a line.
func (r *lifeRanges) marked(line, marks string) (all []sass.Register) {
	for register, at := range r.columns {
		if at[1] <= len(line) && strings.ContainsAny(line[at[0]:at[1]], marks) {
			all = append(all, register)
		}
	}
	return all
}

func instructionRanges(defines, uses []sass.Register) string {
	text := func(registers []sass.Register) string {
		registers = slices.DeleteFunc(registers, func(r sass.Register) bool { return r.File == sass.ConvergenceBarrier })
		slices.SortFunc(registers, func(a, b sass.Register) int { return int(a.File)*1000 + a.Index - int(b.File)*1000 - b.Index })
		return strings.Join(lists.Map(registers, sass.Register.String), " ")
	}
	return text(defines) + " <- " + text(uses)
}

// TestLifeRanges: what instructions write and read is what nvdisasm says. It says nothing of the padding behind the end.
func TestLifeRanges(t *testing.T) {
	total := 0
	eachRecorded(t, ".plr.gz", func(t *testing.T, l *sass.Listing, oracle []string) {
		want := lifeRanges{found: map[string]string{}}
		for i, line := range oracle {
			want.line(line, oracle[max(0, i-1)])
		}
		total += len(want.found)
		for _, f := range l.Functions {
			for i := range f.Instructions {
				in := &f.Instructions[i]
				at := fmt.Sprintf("%s %04x", f.Name, in.Address)
				said, ok := want.found[at]
				if padding := in.Name == "NOP" || in.Name == "BRA"; !ok && !padding {
					t.Errorf("%s is not in the oracle: %s", at, in)
				} else if got := instructionRanges(in.Defines(), in.Uses()); ok && got != notNamed(in, said) {
					t.Errorf("%s: %s\n got %s\nwant %s", at, in, got, said)
				}
				delete(want.found, at)
			}
		}
		for at := range want.found {
			t.Errorf("%s is not in the listing", at)
		}
	})
	if total < 2000 {
		t.Errorf("only %d instructions were compared", total)
	}
}

// notNamed leaves out of what nvdisasm says what no listing names: the registers that a subroutine may change and its arguments, and
// the descriptors of memory on sm_80, which are in the encoding alone.
func notNamed(in *sass.Instruction, said string) string {
	switch {
	case in.Opcode != nil && in.Opcode.Jump == sass.Call:
		return instructionRanges(in.Defines(), in.Uses())
	case strings.Contains(in.Text, ".64]") && !strings.Contains(in.Text, "desc["):
		return strings.TrimSuffix(said, " UR4 UR5")
	}
	return said
}

var (
	graphName    = regexp.MustCompile(`^subgraph "cluster_([^"]+)"`)
	graphNode    = regexp.MustCompile(`^"([^"]+)"$`)
	graphAddress = regexp.MustCompile(`(?:\\l|>)([0-9a-f]{4,}):\\ `)
	graphEdge    = regexp.MustCompile(`^"([^"]+)":\w+:\w+ -> "([^"]+)":entry`)
)

// TestGraph: from each instruction control goes where `nvdisasm -bbcfg` says. It cuts blocks at every label, and has no padding.
func TestGraph(t *testing.T) {
	total := 0
	eachRecorded(t, ".bbcfg.gz", func(t *testing.T, l *sass.Listing, oracle []string) {
		sections := map[string]string{} // of functions and subroutines
		for _, f := range l.Functions {
			sections[f.Name] = f.Name
			for _, b := range f.Blocks {
				sections[b.Label] = f.Name
			}
		}
		known, want := oracleEdges(t, oracle, sections)
		total += len(want)
		var got []string
		for _, f := range l.Functions {
			for _, b := range f.Blocks {
				for i := b.From; i < b.To-1; i++ {
					got = append(got, edge(f.Name, f.Instructions[i].Address, f.Instructions[i+1].Address))
				}
				for _, to := range b.Next {
					got = append(got, edge(f.Name, f.Instructions[b.To-1].Address, addressOf(f, f.Blocks[to])))
				}
			}
		}
		got = slices.DeleteFunc(got, func(e string) bool { from, _, _ := strings.Cut(e, " ->"); return !known[from] })
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
			t.Errorf("edges (-nvdisasm +ours): %s", diff)
		}
	})
	if total < 2000 {
		t.Errorf("only %d edges were compared", total)
	}
}

// oracleEdges reads the edges between instructions, and which instructions there are.
func oracleEdges(t *testing.T, oracle []string, sections map[string]string) (known map[string]bool, edges []string) {
	blocks := map[string][]int64{} // addresses, by function and node
	known = map[string]bool{}
	var function, section, node string
	var joins [][3]string
	for _, line := range oracle {
		if m := graphName.FindStringSubmatch(line); m != nil {
			function, section = m[1], sections[m[1]]
			if section == "" {
				t.Fatalf("function %s is in no section", function)
			}
		} else if m := graphNode.FindStringSubmatch(line); m != nil {
			node = function + m[1]
		} else if m := graphEdge.FindStringSubmatch(line); m != nil {
			joins = append(joins, [3]string{section, function + m[1], function + m[2]})
		}
		for _, m := range graphAddress.FindAllStringSubmatch(line, -1) {
			address, _ := strconv.ParseInt(m[1], 16, 64)
			if block := blocks[node]; len(block) > 0 {
				edges = append(edges, edge(section, block[len(block)-1], address))
			}
			blocks[node] = append(blocks[node], address)
			known[fmt.Sprintf("%s %04x", section, address)] = true
		}
	}
	for _, j := range joins {
		from, to := blocks[j[1]], blocks[j[2]]
		if len(from) == 0 || len(to) == 0 {
			t.Fatalf("an edge of %s leads from or to a block without instructions", j)
		}
		edges = append(edges, edge(j[0], from[len(from)-1], to[0]))
	}
	return known, edges
}

func edge(section string, from, to int64) string {
	return fmt.Sprintf("%s %04x -> %04x", section, from, to)
}

var usage = regexp.MustCompile(`Function (\S+):|REG:(\d+)`)

// TestRegisters: the registers that a function names are at most those that it is given, of which it may leave a few.
func TestRegisters(t *testing.T) {
	eachRecorded(t, ".usage", func(t *testing.T, l *sass.Listing, oracle []string) {
		m := usage.FindAllStringSubmatch(strings.Join(oracle, "\n"), -1)
		if len(m) != 2*len(l.Functions) {
			t.Fatal(m)
		}
		for i := 0; i < len(m); i += 2 {
			f := l.Functions[slices.IndexFunc(l.Functions, func(f *sass.Function) bool { return f.Name == m[i][1] })]
			given, _ := strconv.Atoi(m[i+1][2])
			if named := f.Facts().Named; named > given || named < given-2 {
				t.Errorf("%s names %d registers, and has %d", f.Name, named, given)
			}
		}
	})
}

// TestSameListing: cuobjdump and nvdisasm list the same code. One prints addresses, the other labels.
func TestSameListing(t *testing.T) {
	a, err := sass.ReadFile(t.Context(), filepath.Join(recorded, "reduce.sass"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := sass.ReadFile(t.Context(), filepath.Join(recorded, "reduce.cuobjdump.sass"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(l *sass.Listing) (all []string) {
		for _, f := range l.Functions {
			all = append(all, f.Name+" "+f.Target, flowText(f))
			for i := range f.Instructions {
				in := &f.Instructions[i]
				all = append(all, fmt.Sprintf("%04x %s %x %x", in.Address, in.Mnemonic(), in.Code.Low, in.Code.High))
			}
		}
		return all
	}
	if diff := cmp.Diff(text(a), text(b)); diff != "" {
		t.Error(diff)
	}
}

// TestLatency: opcodes of fixed latency set no scoreboard, and those of variable latency that write a register set one, except that
// results in order need only the last.
func TestLatency(t *testing.T) {
	set := map[string]bool{} // of opcodes of variable latency that write registers
	eachRecorded(t, ".usage", func(t *testing.T, l *sass.Listing, _ []string) {
		for _, f := range l.Functions {
			for i := range f.Instructions {
				in := &f.Instructions[i]
				barrier := in.Code.Control().WriteBarrier != sass.None
				switch {
				case in.Opcode.Latency == sass.Variable && len(in.Defines()) > 0:
					set[in.Opcode.Name] = set[in.Opcode.Name] || barrier
				case in.Opcode.Latency == sass.Fixed && barrier:
					t.Errorf("%s is of fixed latency, and sets a scoreboard: %s", in.Opcode.Name, in)
				}
			}
		}
	})
	if len(set) < 15 {
		t.Errorf("only %d opcodes of variable latency: %v", len(set), set)
	}
	for name, ok := range set {
		if !ok {
			t.Errorf("%s is of variable latency, and never sets a scoreboard", name)
		}
	}
}

// TestWrite: what is printed of one listing, in full.
func TestWrite(t *testing.T) {
	l, err := sass.ReadFile(t.Context(), filepath.Join(recorded, "reduce.sass"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := l.Write(&got); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/reduce.txt", got.String())
}

// TestFacts: the facts of all recorded listings.
func TestFacts(t *testing.T) {
	var got strings.Builder
	eachRecorded(t, ".usage", func(t *testing.T, l *sass.Listing, _ []string) {
		if err := l.WriteFacts(&got); err != nil {
			t.Error(err)
		}
	})
	golden.Check(t, "testdata/facts.txt", got.String())
}

// TestCubin: a cubin is listed by what is at hand, and its registers are read from its sections.
func TestCubin(t *testing.T) {
	listing, err := filepath.Abs(filepath.Join(recorded, "saxpy.sass"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ script, want string }{
		{"cat " + listing, ""},
		{`case "$*" in *-g*) echo no lines >&2; exit 1;; esac; cat ` + listing, ""},
		{"echo out of order >&2; exit 3", "nvdisasm -hex -c -gi: exit status 3: out of order"},
		{"echo nothing", "there is no function in this listing"},
	} {
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "nvdisasm"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":/usr/bin:/bin")
		t.Setenv("CUDA_HOME", "/none")
		l, err := sass.ReadFile(t.Context(), filepath.Join(recorded, "saxpy.cubin"))
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v is not %s", c.script, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := []int{l.Functions[0].Registers, l.Functions[1].Registers}; !slices.Equal(got, []int{22, 10}) {
			t.Errorf("registers %v", got)
		}
	}
	t.Setenv("PATH", t.TempDir())
	// A listing beside the cubin will do.
	l, err := sass.ReadFile(t.Context(), filepath.Join(recorded, "saxpy.cubin"))
	if err != nil || l.Functions[0].Registers != 22 {
		t.Error(err)
	}
	cubin, err := os.ReadFile(filepath.Join(recorded, "saxpy.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sass.ReadCubin(t.Context(), "mine.cubin", cubin, true); err == nil || !strings.Contains(err.Error(), "mine.cubin is a cubin, and neither nvdisasm nor cuobjdump is at hand") {
		t.Error(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sass.ReadFile(t.Context(), program); err == nil || !strings.Contains(err.Error(), "is no cubin") {
		t.Error(err)
	}
}
