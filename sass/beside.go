package sass

import (
	"context"
	"slices"
	"strings"

	"gpuperf/internal/bounded"
)

// ReadKernelAt is ReadKernel of a cubin that lies at a path: a listing beside it is taken where it is of the same machine code, which needs no
// disassembler and less time.
func ReadKernelAt(ctx context.Context, path string, text []byte, kernel string) (*Listing, error) {
	if l := Beside(path, text, kernel); l != nil {
		return l, nil
	}
	return readCubin(ctx, cubinFile{path, path}, text, kernelCommands(text, kernel))
}

// Beside reads a kernel from the listing beside a cubin; nil where there is none, or none of this code.
func Beside(path string, text []byte, kernel string) *Listing {
	file, err := openELF(text)
	if err != nil || file.Machine != machine {
		return nil
	}
	listing, err := bounded.ReadFile(listingOf(path), largest)
	if err != nil {
		return nil
	}
	l, err := Parse(sectionOf(string(listing), kernel))
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(l.Functions, func(f *Function) bool { return f.Name == kernel && f.is(file) })
	if i < 0 {
		return nil
	}
	l.Functions = l.Functions[i : i+1]
	l.complete(file)
	return l
}

// rule begins what nvdisasm prints of a section.
const rule = "//--------------------- "

// sectionOf is what a listing says of one kernel, which takes less time to read; all of it where that is not found.
func sectionOf(listing, kernel string) string {
	before, _, ok := strings.Cut(listing, rule)
	from := strings.Index(listing, rule+".text."+kernel+" ")
	if !ok || from < 0 {
		return listing
	}
	part := listing[from:]
	if end := strings.Index(part[len(rule):], rule); end >= 0 {
		part = part[:len(rule)+end]
	}
	return before + part
}
