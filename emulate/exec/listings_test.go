package exec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

// unknownOpcodes are those of the listings whose results are not known: calls of functions of other sections.
var unknownOpcodes = []string{"CALL"}

// TestListings executes every kernel that testdata/sass has, for all architectures, without arguments: what follows from them is unknown.
// They end, and no opcode is unknown but those above.
func TestListings(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/sass/*.sass")
	if err != nil || len(paths) < 10 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l, err := sass.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range l.Functions {
			turns := map[int]float64{}
			for _, l := range f.Loops {
				turns[f.Blocks[l.Header].From] = 3
			}
			launch, err := exec.New(f, device.Job{Global: []int64{192}, Local: []int64{96}}, exec.Assumptions{Loops: turns})
			if err != nil {
				t.Fatal(err)
			}
			group := launch.Group([3]uint32{1, 0, 0})
			steps := group.Run(100_000)
			if !group.Ended() {
				t.Errorf("%s: %s has not ended after %d steps: %v", filepath.Base(path), f.Name, steps, launch.Doubts())
			}
			for _, d := range launch.Doubts() {
				if d.Kind != exec.UnknownOpcode && d.Kind != exec.Deadlock && d.Kind != exec.UnknownTarget {
					continue
				}
				in := &f.Instructions[min(d.Index, len(f.Instructions)-1)]
				if d.Kind != exec.UnknownOpcode || !contains(unknownOpcodes, in.Name) {
					t.Errorf("%s: %s: %v %s", filepath.Base(path), f.Name, strings.TrimSpace(in.String()), d.Kind)
				}
			}
		}
	}
}

// instructionsOf lists the instructions of all listings.
func instructionsOf(t *testing.T) (all []string) {
	t.Helper()
	paths, _ := filepath.Glob("../../testdata/sass/*.sass")
	for _, path := range append(paths, "testdata/transfer.sass") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l, err := sass.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range l.Functions {
			for i := range f.Instructions {
				if in := &f.Instructions[i]; !strings.Contains(in.Text, "(") {
					all = append(all, in.String())
				}
			}
		}
	}
	return all
}

var registerNumber = regexp.MustCompile(`\b(U?R|U?P|B)\d+`)

// TestScrambled executes random instructions with random registers and branches: sub-groups may be stuck, but nothing else happens.
func TestScrambled(t *testing.T) {
	list := instructionsOf(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		var b strings.Builder
		b.WriteString("\t.section\t.text.k\n.text.k:\n")
		for i := range n {
			line := rapid.SampledFrom(list).Draw(t, "instruction")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				line = fmt.Sprintf("@P%d BRA 0x%x", rapid.IntRange(0, 6).Draw(t, "guard"), 16*rapid.IntRange(0, n-1).Draw(t, "to"))
			case 1:
				line = registerNumber.ReplaceAllStringFunc(line, func(s string) string {
					return strings.TrimRight(s, "0123456789") + strconv.Itoa(rapid.IntRange(0, 300).Draw(t, "register"))
				})
			}
			fmt.Fprintf(&b, "        /*%04x*/ %s ;\n", 16*i, line)
		}
		l, err := sass.Parse(b.String())
		if err != nil {
			return
		}
		launch, err := exec.New(l.Functions[0], device.Job{Global: []int64{66}, Local: []int64{33}}, exec.Assumptions{})
		if err != nil { // a register that there is not
			return
		}
		launch.Group([3]uint32{1, 0, 0}).Run(500)
	})
}
