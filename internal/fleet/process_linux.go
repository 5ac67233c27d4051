package fleet

import (
	"os/exec"
	"syscall"
)

// endWithParent has the system tell a process to stop when the thread that has started it ends, however that comes about.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
