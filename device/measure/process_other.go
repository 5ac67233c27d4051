//go:build !linux

package measure

import (
	"os"
	"os/exec"
)

// isolate does nothing here: a worker ends when its input does.
func isolate(*exec.Cmd) {}

func kill(p *os.Process) { p.Kill() }

// claimOutput trusts libraries not to print.
func claimOutput() (*os.File, error) { return os.Stdout, nil }
