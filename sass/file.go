package sass

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
)

// largest is how large a listing or a cubin may be.
const largest = 64 << 20

// disassemblers are the programs that list cubins, the most telling first.
var disassemblers = [][]string{
	{"nvdisasm", "-hex", "-c", "-g"}, // with labels and source lines
	{"nvdisasm", "-hex", "-c"},       // -g fails on files that have no lines
	{"cuobjdump", "-sass"},
}

// oneFunction are the programs that list one function of a cubin, given the number of its symbol, or its name.
func oneFunction(symbol int, name string) [][]string {
	number := strconv.Itoa(symbol)
	return [][]string{{"nvdisasm", "-hex", "-c", "-g", "-fun", number}, {"nvdisasm", "-hex", "-c", "-fun", number}, {"cuobjdump", "-sass", "-fun", name}}
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
		return readCubin(ctx, path, text, disassemblers)
	}
	l, err := Parse(string(text))
	return l, source.InFile(err, path)
}

// list runs the first of the commands that is at hand and succeeds.
func list(ctx context.Context, path string, commands [][]string) (*Listing, error) {
	var failed []error
	for _, command := range commands {
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
