package sass_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/samples"
	"gpuperf/sass"
)

// TestCode: the accesses of a kernel are told by the arrays that its parameters point to, and the text of it all reads back.
func TestCode(t *testing.T) {
	listing, err := filepath.Abs(filepath.Join(recorded, "saxpy.sass"))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "nvdisasm"), []byte("#!/bin/sh\ncat "+listing+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	cubin, err := os.ReadFile(filepath.Join(recorded, "saxpy.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := sass.ReadCubin(t.Context(), "a.cubin", cubin, false)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]int{
		"saxpy":        {"global load 4 x": 1, "global load 4 y": 1, "global store 4 y": 1},
		"saxpy_vector": {"global load 16 x": 1, "global load 16 y": 1, "global store 16 y": 1},
	}
	for _, f := range l.Functions {
		if diff := cmp.Diff([]sass.Parameter{{0x210, 4}, {0x214, 4}, {0x218, 8}, {0x220, 8}}, f.Parameters); diff != "" {
			t.Errorf("%s: parameters: %s", f.Name, diff)
		}
		code := f.Code([]string{"", "", "x", "y"})
		got := map[string]int{}
		for access, n := range code.Accesses {
			text, err := access.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			got[string(text)] = n
		}
		if diff := cmp.Diff(want[f.Name], got); diff != "" {
			t.Errorf("%s: accesses: %s", f.Name, diff)
		}
		text, err := json.Marshal(code)
		if err != nil {
			t.Fatal(err)
		}
		back := &samples.Code{}
		if err := json.Unmarshal(text, back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(code, back); diff != "" || len(text) > 800 {
			t.Errorf("%s: %d bytes: %s %s", f.Name, len(text), text, diff)
		}
	}
}

// TestPointers: an address belongs to an array only where it was computed from one alone, on all ways to it.
func TestPointers(t *testing.T) {
	l := parseLines(t,
		"LDC.64 R2, c[0x0][0x210]",  // a
		"LDC.64 R4, c[0x0][0x218]",  // b
		"LDG.E R6, [R2.64]",         // of a
		"IMAD.WIDE R8, R6, 0x4, R4", // the index is from memory
		"LDG.E R7, [R8.64]",         // of b
		"ISETP.NE.AND P0, PT, R6, RZ, PT",
		"@P0 MOV R2, R4",
		"LDG.E R0, [R2.64]",     // of a or b
		"STG.E [R8.64+0x4], R0", // of b
		"EXIT",
	)
	f := l.Functions[0]
	f.Parameters = []sass.Parameter{{0x210, 8}, {0x218, 8}, {0x220, 4}}
	want := map[samples.CodeAccess]int{
		{Space: "global", Action: "load", Bytes: 4, Array: "a"}:  1,
		{Space: "global", Action: "load", Bytes: 4, Array: "b"}:  1,
		{Space: "global", Action: "load", Bytes: 4}:              1,
		{Space: "global", Action: "store", Bytes: 4, Array: "b"}: 1,
	}
	if diff := cmp.Diff(want, f.Code([]string{"a", "b", "c"}).Accesses); diff != "" {
		t.Error(diff)
	}
}

// TestAssemble: PTX is told from other programs, and given to ptxas without the zero byte that drivers end it with.
func TestAssemble(t *testing.T) {
	const ptx = "//\n// Generated\n\n.version 9.0\n.target sm_90\n\x00"
	if !sass.IsPTX([]byte(ptx)) || sass.IsPTX([]byte("\x7fELF")) || sass.IsPTX([]byte("// .version 9.0\n__kernel")) {
		t.Error("PTX begins with its version")
	}
	bin := t.TempDir()
	script := "#!/bin/sh\n[ $1 = -arch=sm_90 ] || { echo no such architecture >&2; exit 1; }\ncat $4 > $3\n"
	if err := os.WriteFile(filepath.Join(bin, "ptxas"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	if cubin, err := sass.Assemble(t.Context(), []byte(ptx), "sm_90"); err != nil || string(cubin) != ptx[:len(ptx)-1] {
		t.Errorf("%q %v", cubin, err)
	}
	if _, err := sass.Assemble(t.Context(), []byte(ptx), "sm_1"); err == nil || !strings.Contains(err.Error(), "ptxas -arch=sm_1: exit status 1: no such architecture") {
		t.Error(err)
	}
}
