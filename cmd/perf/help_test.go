package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/internal/command/manual"
	"gpuperf/internal/command/starter"
)

// each calls do for a command and all below it that help lists.
func each(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			each(c, do)
		}
	}
}

// TestManualPages: there is a page of each command.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	files, err := manual.WritePages(dir, "1", newRoot())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	each(newRoot(), func(c *cobra.Command) {
		want[filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")] = true
	})
	for _, file := range files {
		if !want[file] {
			t.Errorf("%s is of no command", file)
		}
		delete(want, file)
	}
	for file := range want {
		t.Errorf("there is no %s", file)
	}
}

// TestHelpWidth: help fits a terminal of 80 columns, and its sessions are not broken there.
func TestHelpWidth(t *testing.T) {
	each(newRoot(), func(c *cobra.Command) {
		var text strings.Builder
		if err := manual.PageOf(c, exitSection()).Text(&text, 80); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
				t.Errorf("%s --help: a line of %d columns: %s", c.CommandPath(), n, line)
			}
		}
		for line := range strings.Lines(c.Example) {
			if !strings.Contains(text.String(), line) {
				t.Errorf("%s --help breaks %s", c.CommandPath(), line)
			}
		}
	})
}

// onDevice are the sessions that need a device.
var onDevice = regexp.MustCompile(`^perf (devices|measure|init|lift (run|explore|describe)|calibrate [^-].*--tag|calibrate model|predict kernel|rank kernel|explain kernel|evaluate suite)`)

// lasting are sessions that take seconds, and what needs their files: they run with LONG=1, and are only read without it. Others of their
// commands are in testdata/script.
var lasting = regexp.MustCompile(`^perf (calibrate (--profile my-h200\.yaml|[^-].*--tag)|measure (axpy|examples/|.*--against)|rank .*--measure|scop run|emulate .*(--(compare|regions|timeline)|matmul-sass\.yaml)|` +
	`explain examples/launch/matmul-sass|tune |lift (explore|run|describe|emit|export|rank|evaluate) )`)

// ownApplication are the sessions that run an application of the user's own.
var ownApplication = regexp.MustCompile(`^perf (capture|app) `)

// TestHelpSessions runs what stands under Examples in the help of every command, and then what perf init says to type next, in a folder
// that has examples, samples and testdata. Sessions that need a device run on one alone, those that take long with LONG=1.
func TestHelpSessions(t *testing.T) {
	var script strings.Builder
	script.WriteString("symlink examples -> $ROOT/examples\nsymlink samples -> $ROOT/samples\nsymlink testdata -> $ROOT/testdata\n")
	add := func(command string) {
		if onDevice.MatchString(command) {
			script.WriteString("[opencl] ")
		}
		script.WriteString(command + "\n")
	}
	each(newRoot(), func(c *cobra.Command) {
		sessions := strings.TrimSpace(strings.ReplaceAll(c.Example, "\\\n", ""))
		generated := c.HasParent() && c.Parent().Name() == "completion"
		if sessions == "" && !c.HasSubCommands() && !generated {
			t.Errorf("%s --help shows no session", c.CommandPath())
		}
		for line := range strings.Lines(sessions) {
			command := strings.Join(strings.Fields(line), " ")
			if ownApplication.MatchString(command) || os.Getenv("LONG") == "" && lasting.MatchString(command) {
				if err := check(command); err != nil {
					t.Errorf("%s: %v", command, err)
				}
				continue
			}
			add(command)
		}
	})
	script.WriteString("[!opencl] stop\ncd first\n")
	for _, line := range starter.SizesFor("cpu").Next() {
		add(line)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sessions.txtar"), []byte(script.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	p := scripts(t, dir)
	p.UpdateScripts = false
	testscript.Run(t, p)
}

// free are the flags whose values are for the user to make up.
var free = []string{
	"arch", "assume", "at", "contents", "data", "define", "global", "groups", "init", "kernel", "local", "name", "recipe", "seed-by", "shard", "shared", "time-range", "title", "try", "variant", "within",
}

// TestFlagsComplete: a shell completes the values of every flag that takes a text, but for free ones.
func TestFlagsComplete(t *testing.T) {
	each(newRoot(), func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, completes := c.GetFlagCompletionFunc(f.Name)
			if text := strings.HasPrefix(f.Value.Type(), "string"); text && !completes && !slices.Contains(free, f.Name) {
				t.Errorf("%s: --%s is not completed", c.CommandPath(), f.Name)
			}
		})
	})
}

// TestHelpIsThere: what the help of commands and the files of perf init refer to exists.
func TestHelpIsThere(t *testing.T) {
	var all strings.Builder
	each(newRoot(), func(c *cobra.Command) { all.WriteString(c.Long + "\n") })
	files, _ := filepath.Glob("../../internal/command/starter/*.[sy]*")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	found := regexp.MustCompile("perf help [a-z]+").FindAllString(all.String(), -1)
	for _, call := range found {
		if status := run(t.Context(), strings.Fields(call)[1:], nil, io.Discard, io.Discard); status != exitDone {
			t.Errorf("%s: status %d", call, status)
		}
	}
	if len(found) < 4 {
		t.Errorf("only %q refer to help", found)
	}
}
