package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/terminal"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// pseudo opens a terminal of 40 columns: what a program writes to, and what a user sees of it.
func pseudo(t *testing.T) (stream, screen *os.File) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be opened here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}); err != nil {
		t.Fatal(err)
	}
	if stream, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return stream, screen
}

// threeKernels shows two programs and three kernels, the second of which was measured before and has a doubt, and the third of which fails.
func threeKernels(stream *os.File, quiet bool) {
	notes := terminal.NewLive(stream)
	printer := warning.Printer{Quiet: quiet}
	var silenced io.Writer = notes
	if quiet {
		silenced = io.Discard
	}
	m := New(silenced, notes, &printer)
	m.Building(1, 2)
	m.Done() // interrupted
	for i, r := range []samples.Record{
		{Status: samples.OK, Warnings: []string{warning.Noisy.About("", "12 of 60 trials are outliers")}},
		{Status: samples.OK, Time: time.Now().Add(-75 * time.Hour), Warnings: []string{warning.Noisy.About("", "13 of 60 trials are outliers")}},
		{Status: samples.Crash, Error: "lost"},
	} {
		id := samples.Identity{Source: "a_kernel_of_a_long_name", Sizes: map[string]int64{"n": int64(i)}}
		e := measure.Event{Index: i, Total: 3, Task: measure.Task{Job: device.Job{Identity: id}}, Reused: i == 1}
		if !e.Reused {
			m.Measuring(e)
		}
		e.Record = &r
		m.Measuring(e)
	}
	m.Done()
	printer.Flush(notes)
}

func TestTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	const erase = "\x1b[A\r\x1b[J"
	warned := "warning: a_kernel_of_a_long_name n=0:\n    12 of 60 trials are outliers [noisy]\n"
	more := "warning: a_kernel_of_a_long_name n=1:\n    13 of 60 trials are outliers [noisy]\n"
	for quiet, want := range map[bool]string{
		false: "building 2 programs\n" +
			"[1/2] building programs\n" +
			erase +
			"[1/3] a_kernel_of_a_long_name n=0\n" +
			erase + warned + "[1/3] a_kernel_of_a_long_name n=0\n" +
			erase + "[3/3] about 0s left  a_kernel_of_a_lon…\n" +
			erase + "[3/3] a_kernel_of_a_long_name n=2 \n    crash: lost\n" + "[3/3] about 0s left  a_kernel_of_a_lon…\n" +
			erase + more,
		true: warned + more,
	} {
		stream, screen := pseudo(t)
		threeKernels(stream, quiet)
		fmt.Fprintln(stream, "end")
		if got := readTo(t, screen, "end\r\n"); got != strings.ReplaceAll(want, "\n", "\r\n") {
			t.Errorf("quiet %v:\n%q, want\n%q", quiet, got, want)
		}
		stream.Close()
	}
}

// readTo returns what the screen shows before a text.
func readTo(t *testing.T, screen io.Reader, end string) string {
	var got []byte
	for buffer := make([]byte, 1024); ; {
		n, err := screen.Read(buffer)
		if err != nil {
			t.Fatalf("%v after %q", err, got)
		}
		got = append(got, buffer[:n]...)
		if before, found := strings.CutSuffix(string(got), end); found {
			return before
		}
	}
}

func TestFile(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/messages")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	threeKernels(file, false)
	got, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	want := "building 2 programs\n" +
		"[1/3] a_kernel_of_a_long_name n=0  NaN s, 0 trials\n" +
		"warning: a_kernel_of_a_long_name n=0: 12 of 60 trials are outliers [noisy]\n" +
		"[2/3] a_kernel_of_a_long_name n=1  NaN s (measured before, 3 days ago)\n" +
		"[3/3] a_kernel_of_a_long_name n=2  crash: lost\n" +
		"warning: a_kernel_of_a_long_name n=1: 13 of 60 trials are outliers [noisy]\n"
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
