package sass

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
)

// largest is how large a listing or a cubin may be.
const largest = 64 << 20

// machine is NVIDIA's number among the machines of ELF files.
const machine elf.Machine = 190

// disassemblers are the programs that list cubins, the most telling first.
var disassemblers = [][]string{
	{"nvdisasm", "-hex", "-c", "-g"}, // with labels and source lines
	{"nvdisasm", "-hex", "-c"},       // -g fails on files that have no lines
	{"cuobjdump", "-sass"},
}

// toolkits are where they are beside the folders of PATH.
const toolkits = "/usr/local/cuda*/bin"

// ReadFile reads a listing, or a cubin by way of nvdisasm or cuobjdump. Errors about the text are *source.Error.
func ReadFile(ctx context.Context, path string) (*Listing, error) {
	text, err := bounded.ReadFile(path, largest)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte(elf.ELFMAG)) {
		return readCubin(ctx, path, text)
	}
	l, err := Parse(string(text))
	return l, source.InFile(err, path)
}

// readCubin lists a cubin and reads the listing. How many registers a kernel is given stands in the cubin alone.
func readCubin(ctx context.Context, path string, text []byte) (*Listing, error) {
	file, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		return nil, failure("%s is no cubin: %v", path, err)
	}
	if file.Machine != machine {
		return nil, failure("%s is no cubin: it is an ELF file for %v", path, file.Machine).
			WithHint("cubins are made by `nvcc -cubin`, and taken from programs by `cuobjdump -xelf all`")
	}
	l, err := list(ctx, path)
	if err != nil {
		return nil, err
	}
	counts := registerCounts(file)
	for _, f := range l.Functions {
		f.Registers = counts[f.Name]
	}
	return l, nil
}

// Attributes of a cubin, in the section .nv.info: a byte for the format, one for the attribute, and two for a value or its size.
const (
	sizedFormat   = 4    // a value of the size follows
	registerCount = 0x2f // EIATTR_REGCOUNT: the symbol of a function and its registers, of four bytes each
)

// registerCounts returns the registers that are allocated to a work-item, by function.
func registerCounts(file *elf.File) map[string]int {
	counts := map[string]int{}
	section := file.Section(".nv.info")
	symbols, err := file.Symbols()
	if section == nil || err != nil {
		return counts
	}
	text, err := section.Data()
	if err != nil {
		return counts
	}
	for len(text) >= 4 {
		format, attribute, size := text[0], text[1], int(binary.LittleEndian.Uint16(text[2:]))
		text = text[4:]
		if format != sizedFormat {
			continue
		}
		value := text[:min(size, len(text))]
		text = text[len(value):]
		if attribute != registerCount || len(value) != 8 {
			continue
		}
		if symbol := int(binary.LittleEndian.Uint32(value)); symbol > 0 && symbol <= len(symbols) { // the first is left out
			counts[symbols[symbol-1].Name] = int(binary.LittleEndian.Uint32(value[4:]))
		}
	}
	return counts
}

// list runs the first disassembler that is at hand and succeeds.
func list(ctx context.Context, path string) (*Listing, error) {
	var failed []error
	for _, command := range disassemblers {
		program := tool(command[0])
		if program == "" {
			continue
		}
		out, err := exec.CommandContext(ctx, program, append(command[1:], path)...).Output()
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w%s", strings.Join(command, " "), err, said(err)))
			continue
		}
		l, err := Parse(string(out))
		return l, source.InFile(err, "what `"+strings.Join(append(command, path), " ")+"` prints")
	}
	if len(failed) > 0 {
		return nil, fmt.Errorf("cannot list %s: %w", path, errors.Join(failed...))
	}
	return nil, failure("%s is a cubin, and neither nvdisasm nor cuobjdump is at hand to list it", path).
		WithHint("both are part of CUDA's toolkit; where it is installed, run `nvdisasm -hex -c -g %s > code.sass`, and read that file",
			filepath.Base(path))
}

// failure is an error of a file as a whole.
func failure(format string, args ...any) *source.Error {
	return source.At("", "", source.Pos{}, format, args...)
}

// said is what a program wrote of its failure.
func said(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		return ": " + string(bytes.TrimSpace(exit.Stderr))
	}
	return ""
}

// tool finds a program of CUDA's toolkit; "" where there is none.
func tool(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob(filepath.Join(toolkits, name))
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}
