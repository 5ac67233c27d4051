package sass_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/internal/toolkit"
	"gpuperf/sass"
)

// A listing beside a cubin is taken where it is of the same machine code, and not where the cubin was made anew since.
func TestBeside(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if toolkit.Find("nvdisasm") != "" || toolkit.Find("cuobjdump") != "" {
		t.Skip("there is a disassembler beside PATH")
	}
	code, err := os.ReadFile("../testdata/sass/saxpy.cubin")
	if err != nil {
		t.Fatal(err)
	}
	listing, err := os.ReadFile("../testdata/sass/saxpy.sass")
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "module.cubin")
	if err := os.WriteFile(strings.TrimSuffix(at, ".cubin")+".sass", listing, 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := sass.ReadKernelAt(t.Context(), at, code, "saxpy")
	if err != nil || len(l.Functions) != 1 || l.Functions[0].Registers != 10 || len(l.Functions[0].Parameters) == 0 {
		t.Fatalf("%+v, %v", l.Functions, err)
	}
	first := binary.LittleEndian.AppendUint64(nil, l.Functions[0].Instructions[0].Code.Low)
	code = bytes.ReplaceAll(code, first, []byte("replaced"))
	if sass.Beside(at, code, "saxpy") != nil {
		t.Error("the listing is of other machine code, and was taken")
	}
	if _, err := sass.ReadKernelAt(t.Context(), filepath.Join(t.TempDir(), "module.cubin"), code, "saxpy"); err == nil || !strings.Contains(err.Error(), "module.cubin is a cubin, and neither nvdisasm nor cuobjdump") {
		t.Error(err)
	}
}

// Parameters of more than 4 KB are told in another way.
func TestLargeParameters(t *testing.T) {
	code, err := os.ReadFile("../testdata/sass/large.cubin")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := sass.Entries(code)
	if err != nil {
		t.Fatal(err)
	}
	want := []sass.Entry{{Name: "_Z4pick5TablePii", Parameters: []sass.Parameter{{From: 0x210, Bytes: 8000}, {From: 0x210 + 8000, Bytes: 8}, {From: 0x210 + 8008, Bytes: 4}}}}
	if d := cmp.Diff(want, entries); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
