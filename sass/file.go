package sass

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
	"gpuperf/internal/toolkit"
)

// largest is how large a listing or a cubin may be.
const largest = 64 << 20

// disassemblers are the programs that list cubins, the most telling first.
var disassemblers = [][]string{
	{"nvdisasm", "-hex", "-c", "-gi"}, // with labels, source lines and where functions were inlined
	{"nvdisasm", "-hex", "-c"},        // -gi fails on files that have no lines
	{"cuobjdump", "-sass"},
}

// someFunctions are the programs that list functions of a cubin, given the numbers of their symbols, or their names, with commas between them.
func someFunctions(symbols, names string) [][]string {
	return [][]string{{"nvdisasm", "-hex", "-c", "-gi", "-fun", symbols}, {"nvdisasm", "-hex", "-c", "-fun", symbols}, {"cuobjdump", "-sass", "-fun", names}}
}

// ReadFile reads a listing, or a cubin by way of nvdisasm or cuobjdump. Errors about the text are *source.Error.
func ReadFile(ctx context.Context, path string) (*Listing, error) {
	text, err := bounded.ReadFile(path, largest)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte(elf.ELFMAG)) {
		return readCubin(ctx, cubinFile{path, path}, text, disassemblers)
	}
	l, err := Parse(string(text))
	return l, source.InFile(err, path)
}

// Disassembles reports whether a program that lists cubins is at hand.
func Disassembles() bool {
	return slices.ContainsFunc(disassemblers, func(command []string) bool { return toolkit.Find(command[0]) != "" })
}

// Disassemble lists a cubin, or some of its kernels, as a text, with its source lines where it has them. Errors call it by name.
func Disassemble(ctx context.Context, name string, cubin []byte, kernels ...string) (text string, err error) {
	err = asFile(cubin, func(path string) (err error) {
		text, _, err = list(ctx, cubinFile{path, name}, kernelCommands(cubin, kernels...))
		return err
	})
	return text, err
}

// asFile gives a cubin to a function as a file.
func asFile(cubin []byte, do func(path string) error) error {
	file, err := os.CreateTemp("", "*.cubin")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(cubin)
	if err = cmp.Or(err, file.Close()); err != nil {
		return err
	}
	return do(file.Name())
}

// cubinFile is a cubin that disassemblers read at a path, and what the user calls it: the path may be that of a copy.
type cubinFile struct{ path, name string }

// list runs the first of the commands that is at hand and succeeds. Where none is at hand, a listing that lies beside the cubin is taken.
func list(ctx context.Context, cubin cubinFile, commands [][]string) (text, by string, err error) {
	var failed []error
	for _, command := range commands {
		program := toolkit.Find(command[0])
		if program == "" {
			continue
		}
		out, err := exec.CommandContext(ctx, program, slices.Concat(command[1:], []string{cubin.path})...).Output()
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w%s", strings.Join(command, " "), err, strings.ReplaceAll(stderrOf(err), cubin.path, cubin.name)))
			continue
		}
		return string(out), "what `" + strings.Join(command, " ") + " " + cubin.name + "` prints", nil
	}
	if len(failed) > 0 {
		return "", "", fmt.Errorf("cannot list %s: %w", cubin.name, errors.Join(failed...))
	}
	if out, err := bounded.ReadFile(listingOf(cubin.path), largest); err == nil {
		return string(out), listingOf(cubin.path), nil
	}
	return "", "", failure("%s is a cubin, and neither nvdisasm nor cuobjdump is at hand to list it", cubin.name).
		WithHint("both are part of CUDA's toolkit; where it is installed, run `nvdisasm -hex -c -gi %s > %s`, and bring that file beside the cubin",
			filepath.Base(cubin.name), filepath.Base(listingOf(cubin.name)))
}

// listingOf is where the listing of a cubin may lie.
func listingOf(cubin string) string { return strings.TrimSuffix(cubin, filepath.Ext(cubin)) + ".sass" }

// stderrOf is what a program that failed wrote to its standard error.
func stderrOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		return ": " + string(bytes.TrimSpace(exit.Stderr))
	}
	return ""
}
