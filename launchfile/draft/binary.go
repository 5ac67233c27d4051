package draft

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/source"
	"gpuperf/sass"
)

var (
	ptxEntry = regexp.MustCompile(`(?s)\.entry\s+([\w$.]+)\s*(?:\(([^)]*)\))?([^{;]*)\{`)
	ptxParam = regexp.MustCompile(`\.param\s+(.*?)\.([a-z])(\d+)\s+(.*?)([\w$]+)\s*(?:\[\s*(\d+)\s*\])?\s*$`)
	ptxSize  = regexp.MustCompile(`\.(maxntid|reqntid)\s+([\d\s,]+)`)
	ptxTypes = map[string]string{"u": "uint", "s": "int", "f": "float", "b": "uint"}
)

// readPTX finds the entries of PTX. A parameter of 64 bits counts as a pointer where the file says so, or its name cannot tell.
func readPTX(path, text string) (kernels []Kernel, err error) {
	text = comments.ReplaceAllString(text, " ")
	for _, m := range ptxEntry.FindAllStringSubmatch(text, -1) {
		k := Kernel{Name: m[1], Dims: 1, file: path}
		for _, p := range split(m[2]) {
			found := ptxParam.FindStringSubmatch(strings.TrimSpace(p))
			if found == nil {
				continue
			}
			bits, err := strconv.ParseInt(found[3], 10, 64)
			if err != nil {
				continue
			}
			one := Param{Type: ptxTypes[found[2]] + found[3], Lanes: 1, Text: strings.Join(strings.Fields(p), " ")}
			switch bytes, array := strconv.ParseInt(found[6], 10, 64); {
			case array == nil:
				one.Type, one.Bytes = "", bytes*bits/8
			case bits == 64 && found[2] != "f":
				one.Kind, one.Type = Pointer, ""
			}
			k.Params = append(k.Params, one)
		}
		for _, b := range ptxSize.FindAllStringSubmatch(m[3], -1) {
			k.Block = numbers(b[2])
		}
		k.shape()
		kernels = append(kernels, k.mangled())
	}
	return kernels, nil
}

// readCubin finds the kernels of a cubin: their names, and how many bytes each parameter has. One of 8 counts as a pointer unless the name
// tells its type.
func readCubin(path, text string) (kernels []Kernel, err error) {
	entries, err := sass.Entries([]byte(text))
	for _, e := range entries {
		k := Kernel{Name: e.Name, Dims: 1, file: path}
		for _, p := range e.Parameters {
			one := Param{Lanes: 1, Text: strconv.Itoa(p.Bytes) + " bytes", Bytes: int64(p.Bytes)}
			switch p.Bytes {
			case 8:
				one.Kind = Pointer
			case 1, 2, 4:
				one.Type = "int" + strconv.Itoa(8*p.Bytes)
			}
			k.Params = append(k.Params, one)
		}
		kernels = append(kernels, k.mangled())
	}
	return kernels, source.InFile(err, path)
}

// mangled adds what the mangled name of a kernel tells of its parameters.
func (k Kernel) mangled() Kernel {
	plain, types, ok := demangled(k.Name)
	if ok {
		k.Notes = append(k.Notes, "the mangled name of "+plain)
	}
	if !ok || len(types) != len(k.Params) {
		k.Notes = append(k.Notes, "the file does not tell what its pointers point to, and only how long its values are")
		k.Params = named(k.Params)
		return k
	}
	k.Params = slices.Clone(k.Params)
	for i, t := range types {
		p := &k.Params[i]
		bytes := p.Bytes
		if *p, ok = readParam(t, nil); !ok || p.Kind == Value && p.Type == "" {
			p.Bytes = bytes
		}
	}
	k.Params = named(k.Params)
	return k
}
