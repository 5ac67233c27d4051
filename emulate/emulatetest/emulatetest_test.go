package emulatetest

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gpuperf/device"
	"gpuperf/internal/counters"
	"gpuperf/samples"
	"gpuperf/sass"
)

const folder = "../../testdata/h200/"

// load reads a file of launches, and returns them by their samples files and how many there are of each kind of code.
func load(t *testing.T, name string) (of map[string][]Launch, number map[Code]int) {
	t.Helper()
	all, err := Launches(folder + name)
	if err != nil {
		t.Fatal(err)
	}
	of, number = map[string][]Launch{}, map[Code]int{}
	for _, l := range all {
		of[l.Samples] = append(of[l.Samples], l)
		number[l.Code]++
	}
	return of, number
}

// TestCounted holds the recording to what it says of itself: the listings have the instructions that the device executed, and its registers.
func TestCounted(t *testing.T) {
	of, number := load(t, "listings.jsonl.gz")
	if number[Same] < 90 {
		t.Errorf("%d launches have the code that was executed, want 90", number[Same])
	}
	for path, launches := range of {
		warm, err := Counted(launches, samples.Warm)
		if err != nil {
			t.Fatal(err)
		}
		cold, err := Counted(launches, samples.Cold)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range launches {
			t.Run(strings.TrimPrefix(path, folder)+"/"+l.Job.Identity.String(), func(t *testing.T) {
				if got := compared(l, warm[i]); got != l.Code {
					t.Errorf("the code is %s, and the file says %s", got, l.Code)
				}
				for _, c := range []counters.Counted{warm[i], cold[i]} {
					if c.Record.Metrics["gpu__time_duration.sum"].Value <= 0 {
						t.Errorf("%s caches: no time", c.Record.Mode)
					}
				}
			})
		}
	}
}

// TestMeasured holds the recording of samples to what it says of itself: the listings have as many instructions of each kind, in each loop, as
// the code that was measured.
func TestMeasured(t *testing.T) {
	of, number := load(t, "listings_general.jsonl.gz")
	if len(number) != 1 || number[Facts] < 1000 {
		t.Errorf("the launches are %v, want 1000 with the facts of what was measured", number)
	}
	for path, launches := range of {
		mode := samples.Warm
		if strings.HasSuffix(path, "_cold.jsonl.gz") {
			mode = samples.Cold
		}
		measured, err := Measured(launches, mode)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range launches {
			var arrays []string
			for _, a := range l.Job.Args {
				if a.Kind != device.Buffer {
					a.Name = ""
				}
				arrays = append(arrays, a.Name)
			}
			r := measured[i]
			want := r.Compiled.Code
			if int(r.Compiled.Registers) != l.Function.Registers || r.Seconds() <= 0 || l.Suite != "choose" && l.Suite != "general" {
				t.Errorf("%s: %d registers of %d, %g s, suite %q", l.Job.Identity, l.Function.Registers, r.Compiled.Registers, r.Seconds(), l.Suite)
			}
			if diff := cmp.Diff(asInteger(want), asInteger(l.Function.Code(arrays)), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: measured (-), listed (+):\n%s", l.Job.Identity, diff)
			}
		}
	}
}

// asInteger counts logic among integers: one compiler makes the address of shared memory by PRMT, the other by LEA.
func asInteger(c *samples.Code) *samples.Code {
	part := func(p samples.CodePart) samples.CodePart {
		p.Classes = maps.Clone(p.Classes)
		p.Classes[string(sass.Integer)] += p.Classes[string(sass.Logic)]
		delete(p.Classes, string(sass.Logic))
		return p
	}
	out := &samples.Code{CodePart: part(c.CodePart)}
	for _, l := range c.Loops {
		out.Loops = append(out.Loops, samples.CodeLoop{Depth: l.Depth, CodePart: part(l.CodePart)})
	}
	return out
}

// granule is in how many registers the device allocates them to a work-item.
const granule = 8

// compared compares the code of a launch with what was executed.
func compared(l Launch, c counters.Counted) Code {
	allocated := int(c.Record.Metrics["launch__registers_per_thread"].Value)
	own := l.Function.Registers
	switch registers := own == allocated || (own+granule-1)/granule*granule == allocated; {
	case !registers:
		return Other
	case c.Code == nil:
		return Unlisted
	}
	var listed, executed []string
	for i := range l.Function.Instructions {
		if i < len(c.Code) {
			listed = append(listed, plain(l.Function.Instructions[i].Text))
		}
	}
	for i := range c.Code {
		executed = append(executed, plain(c.Code[i].Text))
	}
	if slices.Equal(listed, executed) {
		return Same
	}
	for i := range listed {
		listed[i], _, _ = strings.Cut(listed[i], " ")
	}
	for i := range executed {
		executed[i], _, _ = strings.Cut(executed[i], " ")
	}
	if slices.Equal(listed, executed) {
		return Alike
	}
	return Other
}

var (
	guard = regexp.MustCompile(`^@!?U?P[0-9T]+ `)
	space = regexp.MustCompile(`\s+`)
	// target is what the two listings write differently of a jump.
	target = regexp.MustCompile("^((?:BRA|BSSY|CALL|WARPSYNC|BREAK|RET)\\S*(?: .*?)?)\\s*(?:`\\(.*\\)|\\b0x[0-9a-f]+)$")
	// shared is how the address of shared memory is made from that of the block in its cluster, by two compilers.
	shared = regexp.MustCompile(`^(U?)(?:LEA|PRMT) (U?R\d+), (U?R\d+), (?:0x654, (U?R\d+)|(U?R\d+), 0x18)$`)
)

// plain is the text of an instruction without what differs from one listing to another: the guard, hints, the names of targets.
func plain(text string) string {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), ";"))
	text = space.ReplaceAllString(guard.ReplaceAllString(strings.ReplaceAll(text, ".reuse", ""), ""), " ")
	text = target.ReplaceAllString(text, "$1 to")
	return shared.ReplaceAllString(text, "${1}SHARED $2, $3, $4$5")
}
