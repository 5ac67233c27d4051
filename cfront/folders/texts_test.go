package folders

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTexts: what files around define, by names, and where.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"cl/k.cl":      "float inK(float x) { return x; }\n",
		"cl/common.cl": "// float commented(float x) {\n#define SHAPE 4\n#define CALLED(x) \\\n  (x)\nINLINE float called(float x,\n  int n) {\n  return used(x);\n}\ntypedef float real;\ntypedef struct {\n  int a;\n} pair;\nstruct record { int a; };\n",
		"cl/far.h":     "float shared_one(float x) { return x; }\n#include <string>\n",
		"h/near.h":     "#define ONLY(x) x\n#define VALUE 12 // of h\n",
		"host.cpp":     "#define VALUE 13\nauto o = \"-DGROUP=64 -D KIND=float4 -DOPEN=\" + text(n);\nconst int TILE = 32;\n#define WIDE (a + b)\n",
		".git/x.cl":    "float hidden(float x) { return x; }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := Around("cl/k.cl")
	for name, want := range map[string]Found{
		"called": {File: "cl/common.cl", Line: 5}, "CALLED": {File: "cl/common.cl", Line: 3}, "real": {File: "cl/common.cl", Line: 9}, "pair": {File: "cl/common.cl", Line: 12},
		"record": {File: "cl/common.cl", Line: 13}, "ONLY": {File: "h/near.h", Line: 1},
		"used": {}, "commented": {}, "SHAPE": {}, "inK": {}, "shared_one": {}, "hidden": {}, "float": {}, "VALUE": {},
	} {
		if got := f.Definition(name); got == nil && want.File != "" || got != nil && *got != want {
			t.Errorf("the definition of %s is %+v, want %+v", name, got, want)
		}
	}
	for name, want := range map[string]Found{
		"GROUP": {"host.cpp", 2, "64"}, "KIND": {"host.cpp", 2, "float4"}, "OPEN": {"host.cpp", 2, ""}, "TILE": {"host.cpp", 3, "32"}, "VALUE": {"h/near.h", 2, "12"},
		"SHAPE": {"cl/common.cl", 2, "4"}, "WIDE": {}, "text": {}, "ROUP": {},
	} {
		if got := f.Macro(name); got == nil && want.File != "" || got != nil && *got != want {
			t.Errorf("the macro %s is %+v, want %+v", name, got, want)
		}
	}
}
