package sass

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/source"
)

// machine is NVIDIA's number among the machines of ELF files.
const machine elf.Machine = 190

// IsCubin reports whether a file holds machine code of NVIDIA's GPUs.
func IsCubin(text []byte) bool {
	file, err := openELF(text)
	return err == nil && file.Machine == machine
}

// openELF opens a cubin, or another ELF file. Before CUDA 13, cubins have the version of CUDA where that of ELF belongs.
func openELF(text []byte) (*elf.File, error) {
	const at = 20 // of e_version in the header of ELF
	if len(text) > at+4 {
		text = slices.Clone(text)
		binary.LittleEndian.PutUint32(text[at:], uint32(elf.EV_CURRENT))
	}
	return elf.NewFile(bytes.NewReader(text))
}

// ReadCubin lists a cubin, or some of its kernels, by way of nvdisasm or cuobjdump, with its source lines where lines asks for them and it has them.
// Errors call it by name.
func ReadCubin(ctx context.Context, name string, text []byte, lines bool, kernels ...string) (l *Listing, err error) {
	commands := kernelCommands(text, kernels...)
	if !lines {
		commands = commands[1:]
	}
	err = asFile(text, func(path string) (err error) {
		l, err = readCubin(ctx, cubinFile{path, name}, text, commands)
		return err
	})
	return l, err
}

// ReadKernel is ReadCubin of one kernel, with its source lines.
func ReadKernel(ctx context.Context, name string, text []byte, kernel string) (*Listing, error) {
	return ReadCubin(ctx, name, text, true, kernel)
}

// kernelCommands are the commands that list some kernels of a cubin, as those of libraries have hundreds more. They list the whole cubin where no kernel is asked for, or
// one of those is not in it.
func kernelCommands(text []byte, kernels ...string) [][]string {
	file, err := openELF(text)
	if err != nil || len(kernels) == 0 {
		return disassemblers
	}
	symbols, _ := file.Symbols() // without them there is no such kernel
	var numbers []string
	for _, kernel := range kernels {
		i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == kernel })
		if i < 0 {
			return disassemblers
		}
		numbers = append(numbers, strconv.Itoa(i+1)) // the first is left out
	}
	return someFunctions(strings.Join(numbers, ","), strings.Join(kernels, ","))
}

// readCubin lists a cubin and reads the listing. The registers and the parameters of a kernel stand in the cubin alone.
func readCubin(ctx context.Context, cubin cubinFile, text []byte, commands [][]string) (*Listing, error) {
	file, err := openELF(text)
	if err != nil {
		return nil, failure("%s is no cubin: %v", cubin.name, err)
	}
	if file.Machine != machine {
		return nil, failure("%s is no cubin: it is an ELF file for %v", cubin.name, file.Machine).
			WithHint("cubins are made by `nvcc -cubin`, and taken from programs by `cuobjdump -xelf all`")
	}
	listing, from, err := list(ctx, cubin, commands)
	if err != nil {
		return nil, err
	}
	l, err := Parse(listing)
	if err != nil {
		return nil, source.InFile(err, from)
	}
	if from == listingOf(cubin.path) && slices.ContainsFunc(l.Functions, func(f *Function) bool { return f.coded() && !f.is(file) }) {
		return nil, failure("%s is a listing of other machine code than %s", from, cubin.name).
			WithHint("where CUDA's toolkit is installed, list it anew: `nvdisasm -hex -c -gi %s > %s`", filepath.Base(cubin.name), filepath.Base(from))
	}
	l.complete(file)
	return l, nil
}

// attribute is an entry of a section .nv.info: a byte for the format, one for the attribute, and two for a value or its size.
type attribute struct {
	kind  byte
	value []byte
}

// The attributes that are read.
const (
	sizedFormat   = 4    // a value of the size follows
	parameterBank = 0x0a // EIATTR_PARAM_CBANK: a symbol, and where parameters begin and how long they are, of two bytes each
	parameterInfo = 0x17 // EIATTR_KPARAM_INFO: an index, the ordinal and the offset of two bytes each, and flags that end with the size
	largeInfo     = 0x45 // EIATTR_KPARAM_INFO_V2, where there are more than 4 KB of them: the same, with the size in the first two bytes of the flags
	registerCount = 0x2f // EIATTR_REGCOUNT: the symbol of a function and its registers, of four bytes each
)

// attributes lists those with a sized value.
func attributes(file *elf.File, section string) (list []attribute) {
	s := file.Section(section)
	if s == nil {
		return nil
	}
	text, err := s.Data()
	if err != nil {
		return nil
	}
	for len(text) >= 4 {
		format, kind, size := text[0], text[1], int(binary.LittleEndian.Uint16(text[2:]))
		text = text[4:]
		if format != sizedFormat {
			continue
		}
		value := text[:min(size, len(text))]
		text = text[len(value):]
		list = append(list, attribute{kind, value})
	}
	return list
}

// registerCounts returns the registers that are allocated to a work-item, by function.
func registerCounts(file *elf.File) map[string]int {
	counts := map[string]int{}
	symbols, err := file.Symbols()
	if err != nil {
		return counts
	}
	for _, a := range attributes(file, ".nv.info") {
		if a.kind != registerCount || len(a.value) != 8 {
			continue
		}
		if symbol := int(binary.LittleEndian.Uint32(a.value)); symbol > 0 && symbol <= len(symbols) { // the first is left out
			counts[symbols[symbol-1].Name] = int(binary.LittleEndian.Uint32(a.value[4:]))
		}
	}
	return counts
}

// Parameter is where a parameter of a kernel lies in the constant bank 0.
type Parameter struct{ From, Bytes int }

// parameters lists the parameters of a kernel in order; none where one is missing.
func parameters(file *elf.File, function string) []Parameter {
	found := map[int]Parameter{}
	base := -1
	for _, a := range attributes(file, ".nv.info."+function) {
		switch {
		case a.kind == parameterBank && len(a.value) == 8:
			base = int(binary.LittleEndian.Uint16(a.value[4:]))
		case (a.kind == parameterInfo || a.kind == largeInfo) && len(a.value) == 12:
			size := int(binary.LittleEndian.Uint32(a.value[8:]) >> 18)
			if a.kind == largeInfo {
				size = int(binary.LittleEndian.Uint16(a.value[8:]))
			}
			found[int(binary.LittleEndian.Uint16(a.value[4:]))] = Parameter{int(binary.LittleEndian.Uint16(a.value[6:])), size}
		}
	}
	list := make([]Parameter, len(found))
	for i := range list {
		p, ok := found[i]
		if !ok || base < 0 {
			return nil
		}
		list[i] = Parameter{base + p.From, p.Bytes}
	}
	return list
}

// Entry is a kernel of a cubin.
type Entry struct {
	Name       string
	Parameters []Parameter
}

// isEntry is the flag of a symbol that is a kernel, among those that ELF leaves to machines.
const isEntry = 0x10

// Entries lists the kernels of a cubin.
func Entries(text []byte) ([]Entry, error) {
	if !IsCubin(text) {
		return nil, failure("this is no cubin")
	}
	file, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	symbols, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Other&isEntry != 0 {
			list = append(list, Entry{s.Name, parameters(file, s.Name)})
		}
	}
	return list, nil
}

// coded tells whether the listing has encodings of a function.
func (f *Function) coded() bool { return len(f.Instructions) > 0 && f.Instructions[0].Code != nil }

// is tells whether a function has the instructions of a cubin.
func (f *Function) is(file *elf.File) bool {
	s := file.Section(".text." + f.Name)
	if s == nil {
		return false
	}
	code, err := s.Data()
	if err != nil || len(f.Instructions) == 0 {
		return false
	}
	for i := range f.Instructions {
		in := &f.Instructions[i]
		at := in.Address
		if in.Code == nil || at < 0 || at+16 > int64(len(code)) || *in.Code != (Encoding{binary.LittleEndian.Uint64(code[at:]), binary.LittleEndian.Uint64(code[at+8:])}) {
			return false
		}
	}
	return true
}
