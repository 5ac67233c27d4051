package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gpuperf/manual"
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
