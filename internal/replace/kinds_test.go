package replace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKindsReplaceTheirOwnAlone writes each kind over each kind of file.
func TestKindsReplaceTheirOwnAlone(t *testing.T) {
	texts := map[string]string{
		"page":        "<!DOCTYPE html>\n<head>\n" + Mark + "\n",
		"other page":  "<!DOCTYPE html>\n<head>\n",
		"picture":     `<svg xmlns="http://www.w3.org/2000/svg" role="img" font-family="system-ui">`,
		"other":       `<svg xmlns="http://www.w3.org/2000/svg">`,
		"timeline":    `{"timeline": 1}`,
		"source":      "// By perf scop compile from a.c\nint x;\n",
		"their own":   "// mine\nint x;\n",
		"samples":     `{"version":2,"kernel":{"source":"saxpy"}}` + "\n",
		"profile":     "version: 2\ndevice:\n  name: x\n",
		"extended":    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define lid(N) ((int) get_local_id(N))\n",
		"another's":   "#include <stdio.h>\nint x;\n",
		"description": "{\n  \"program\": \"dot\",\n  \"variant\": \"a5\"\n}\n",
		"long":        strings.Repeat("x", 3*headSize),
	}
	kinds := map[string]Kind{"page": Page, "picture": Picture, "timeline": Shown, "source": Source, "description": Source, "copy": Copy}
	for as, kind := range kinds {
		for is, before := range texts {
			path := filepath.Join(t.TempDir(), "out")
			if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
			own := as == is || kind.name == Source.name && (is == "source" || is == "extended" || is == "description")
			err := kind.Bytes(path, []byte("new"))
			after, _ := os.ReadFile(path)
			if own != (err == nil) || own != (string(after) == "new") || !own && string(after) != before {
				t.Errorf("%s over %s: %v, and it holds %.20q", as, is, err, after)
			}
			if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := kind.Bytes(path, []byte(before)); err != nil {
				t.Errorf("%s over the same text: %v", as, err)
			}
		}
		for _, name := range []string{"new", "empty"} {
			path := filepath.Join(t.TempDir(), name)
			if name == "empty" {
				if err := os.WriteFile(path, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := kind.Bytes(path, []byte("text")); err != nil {
				t.Errorf("%s to a file that is %s: %v", as, name, err)
			}
		}
	}
	if err := Page.Bytes(os.DevNull, []byte("text")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatal("the null device is a file now")
	}
	if err := Page.Bytes(t.TempDir(), []byte("text")); err == nil {
		t.Error("a folder was replaced")
	}
}
