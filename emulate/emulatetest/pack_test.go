package emulatetest

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuperf/launchfile"
	"gpuperf/sass"
)

// TestPack makes a file of the kernels of the development set from the cubins and listings that scripts/emulate/record.sh leaves in a folder:
// CUBINS=folder/cubins go test ./emulate/emulatetest -run Pack
// LAUNCHES names other launch files than those of testdata/emulate.
func TestPack(t *testing.T) {
	folder := os.Getenv("CUBINS")
	if folder == "" {
		t.Skip("CUBINS names no folder")
	}
	file, err := os.Create(filepath.Join(folder, "listings_emulate.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed := gzip.NewWriter(file)
	defer packed.Close()
	paths, err := filepath.Glob(cmp.Or(os.Getenv("LAUNCHES"), "../../testdata/emulate/*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	out := json.NewEncoder(packed)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		p, err := packedProgram(path, filepath.Join(folder, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p.Source = name
		if err := out.Encode(p); err != nil {
			t.Fatal(err)
		}
	}
}

// packedProgram is the kernel of a launch file, from a cubin and a listing beside each other.
func packedProgram(launch, code string) (*program, error) {
	file, err := launchfile.Load(launch)
	if err != nil {
		return nil, err
	}
	job, err := file.Emulated(nil)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(code + ".sass")
	if err != nil {
		return nil, err
	}
	cubin, err := os.ReadFile(code + ".cubin")
	if err != nil {
		return nil, err
	}
	listing, err := sass.Parse(string(text))
	if err != nil {
		return nil, err
	}
	if err := listing.Complete(cubin); err != nil {
		return nil, err
	}
	f, err := named(listing, job.Entry)
	if err != nil {
		return nil, err
	}
	return &program{
		Function: f.Name, Registers: f.Registers, Parameters: f.Parameters, Constants: f.Constants, Addresses: f.Addresses, Variables: f.Variables, Held: f.Held,
		Listing: sectionOf(string(text), f.Name),
	}, nil
}

// types are how names in binaries write the types of templates' arguments.
var types = map[string]string{"char": "c", "float": "f", "float2": "6float2", "float4": "6float4", "true": "Lb1E", "false": "Lb0E"}

// named finds the function or the instance of a template that a launch file names.
func named(l *sass.Listing, kernel string) (*sass.Function, error) {
	base, arguments, _ := strings.Cut(strings.TrimSuffix(kernel, ">"), "<")
	pattern := fmt.Sprint("^_Z", len(base), base)
	if arguments != "" {
		pattern += "I"
		for _, a := range strings.Split(arguments, ",") {
			a = strings.TrimSpace(a)
			pattern += cmp.Or(types[a], "L[a-z]"+a+"E")
		}
		pattern += "E"
	}
	var found []*sass.Function
	for _, f := range l.Functions {
		if f.Name == kernel || regexp.MustCompile(pattern).MatchString(f.Name) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d functions are %s", len(found), kernel)
	}
	return found[0], nil
}

// sectionOf is the part of a listing with one function.
func sectionOf(text, name string) string {
	const rule = "//--------------------- "
	for _, part := range strings.Split(text, "\n"+rule) {
		if strings.HasPrefix(part, ".text."+name+" ") || strings.HasPrefix(part, ".text."+name+"\t") {
			return rule + part
		}
	}
	return ""
}
