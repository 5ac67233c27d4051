package sass

import (
	"debug/elf"
	"encoding/binary"
	"regexp"
	"slices"
	"strconv"
)

// Address is a place of a constant bank that holds the address of a variable.
type Address struct {
	Bank, At int
	Variable string
}

// Held is a variable that lies in a constant bank.
type Held struct {
	Bank, At, Bytes int
	Variable        string
}

// Complete gives the functions of a listing what the cubin alone says: registers, parameters, constants and variables.
func (l *Listing) Complete(cubin []byte) error {
	file, err := openELF(cubin)
	if err != nil {
		return failure("this is no cubin: %v", err)
	}
	l.complete(file)
	return nil
}

func (l *Listing) complete(file *elf.File) {
	counts, variables := registerCounts(file), variables(file)
	for _, f := range l.Functions {
		f.Registers, f.Parameters, f.Variables = counts[f.Name], parameters(file, f.Name), variables
		f.constants(file)
	}
}

// constantSection is the name of a section with a constant bank, of one function or of all. Bank 0 is the driver's.
var constantSection = regexp.MustCompile(`^\.nv\.constant([1-9]\d*)(?:\.(.+))?$`)

// constants reads the constant banks of the function, and where they hold addresses.
func (f *Function) constants(file *elf.File) {
	f.Constants, f.Addresses, f.Held = map[int][]byte{}, nil, nil
	symbols, _ := file.Symbols()
	for number, s := range file.Sections {
		m := constantSection.FindStringSubmatch(s.Name)
		if m == nil || m[2] != "" && m[2] != f.Name || s.Type != elf.SHT_PROGBITS {
			continue
		}
		bank, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		if data, err := s.Data(); err == nil {
			f.Constants[bank] = data
		}
		f.Addresses = append(f.Addresses, relocations(file, s.Name, bank)...)
		for _, v := range symbols {
			if elf.ST_TYPE(v.Info) == elf.STT_OBJECT && int(v.Section) == number && v.Value+v.Size <= s.Size {
				f.Held = append(f.Held, Held{bank, int(v.Value), int(v.Size), v.Name})
			}
		}
	}
}

// relocations lists the addresses that a section holds. An entry has three numbers of 64 bits: the place, the symbol in the high half of
// the second, and what is added.
func relocations(file *elf.File, section string, bank int) (all []Address) {
	symbols, err := file.Symbols()
	if err != nil {
		return nil
	}
	for _, kind := range []struct {
		prefix string
		bytes  int
	}{{".rela", 24}, {".rel", 16}} {
		s := file.Section(kind.prefix + section)
		if s == nil {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil
		}
		for entry := range slices.Chunk(data[:len(data)/kind.bytes*kind.bytes], kind.bytes) {
			n := int(binary.LittleEndian.Uint64(entry[8:]) >> 32)
			if n > 0 && n <= len(symbols) {
				all = append(all, Address{bank, int(binary.LittleEndian.Uint64(entry)), symbols[n-1].Name})
			}
		}
	}
	return all
}

// variables lists what the variables of a program start with, by name.
func variables(file *elf.File) map[string][]byte {
	all := map[string][]byte{}
	symbols, err := file.Symbols()
	if err != nil {
		return all
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_OBJECT || int(s.Section) >= len(file.Sections) || s.Size > largest {
			continue
		}
		start := make([]byte, s.Size)
		if section := file.Sections[s.Section]; section.Type == elf.SHT_PROGBITS {
			if data, err := section.Data(); err == nil && s.Value <= uint64(len(data)) {
				copy(start, data[s.Value:])
			}
		}
		all[s.Name] = start
	}
	return all
}
