package sass

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"gpuperf/internal/toolkit"
)

// IsPTX reports whether a program is PTX, which begins with comments and its version.
func IsPTX(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			return bytes.HasPrefix(line, []byte(".version"))
		}
	}
	return false
}

// Assemble makes a cubin of PTX for an architecture such as sm_90, by way of ptxas.
func Assemble(ctx context.Context, ptx []byte, arch string) ([]byte, error) {
	program := toolkit.Find("ptxas")
	if program == "" {
		return nil, failure("ptxas, which makes machine code of PTX, is not at hand").WithHint("it is part of CUDA's toolkit")
	}
	dir, err := os.MkdirTemp("", "perf-ptxas-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	from, to := filepath.Join(dir, "kernel.ptx"), filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(from, bytes.TrimRight(ptx, "\x00"), 0o600); err != nil { // drivers end it as a C string
		return nil, err
	}
	if _, err := exec.CommandContext(ctx, program, "-arch="+arch, "-o", to, from).Output(); err != nil {
		return nil, fmt.Errorf("ptxas -arch=%s: %w%s", arch, err, stderrOf(err))
	}
	return os.ReadFile(to)
}
