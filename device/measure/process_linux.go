package measure

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolate puts a worker into a process group of its own, so that a Ctrl-C at the terminal reaches the parent only, and has
// the system kill it when the thread that starts it ends, however that comes about.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// kill ends a worker and what it started, as compilers.
func kill(p *os.Process) {
	syscall.Kill(-p.Pid, syscall.SIGKILL)
	p.Kill()
}

// claimOutput returns the standard output for the protocol alone, and lets everyone else's output go to standard error.
func claimOutput() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup3(2, 1, 0); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}
