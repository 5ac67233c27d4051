package emulatetest

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gpuperf/sass"
)

// TestOperations: the loops of the kernels that measure operations have these as often as they are to be measured, and little else. LISTING is
// that of another compiler.
func TestOperations(t *testing.T) {
	const folder = "../../scripts/emulate/"
	listing, err := sass.Parse(unpacked(t, cmp.Or(os.Getenv("LISTING"), folder+"operations.sass.gz")))
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]*sass.Function{}
	for _, f := range listing.Functions {
		name := strings.TrimLeft(strings.TrimPrefix(f.Name, "_Z"), "0123456789")
		functions[strings.TrimSuffix(name, "PKyPyPxi")] = f
	}
	expected, err := os.ReadFile(folder + "operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(expected)) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		name, opcodes := fields[0], regexp.MustCompile("^(?:"+fields[1]+")(?:\\.|$)")
		want, err := strconv.Atoi(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		checked++
		t.Run(name, func(t *testing.T) {
			f := functions[name]
			if f == nil || len(f.Loops) != 1 {
				t.Fatalf("no function with one loop")
			}
			got, all := 0, 0
			for _, b := range f.Blocks {
				if b.Loop != f.Loops[0] {
					continue
				}
				for i := b.From; i < b.To; i++ {
					all++
					if opcodes.MatchString(mnemonic(&f.Instructions[i])) {
						got++
					}
				}
			}
			const control = 4 // the loop's own comparison can be of the opcode that is measured
			if got < want || got > want+control {
				t.Errorf("the loop has %d of %s among %d instructions, want %d", got, fields[1], all, want)
			}
		})
	}
	if checked != len(functions) {
		t.Errorf("%d kernels of %d are checked", checked, len(functions))
	}
}

func mnemonic(in *sass.Instruction) string {
	return strings.Join(append([]string{in.Name}, in.Modifiers...), ".")
}

// unpacked reads a file, which may be packed by gzip.
func unpacked(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(path) == ".gz" {
		r, err := gzip.NewReader(bufio.NewReader(bytes.NewReader(text)))
		if err != nil {
			t.Fatal(err)
		}
		if text, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return string(text)
}
