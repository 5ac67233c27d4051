//go:build !linux

package fleet

import "os/exec"

// endWithParent does nothing: only Linux can tell a process that its parent is gone.
func endWithParent(*exec.Cmd) {}
