package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme runs the sessions of documents, fenced as console, and compares what they print. UPDATE=1 writes it there.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("PERF_DATA", t.TempDir())
	for _, name := range []string{"README.md", "docs/functional.md"} {
		runSessions(t, name)
	}
}

func runSessions(t *testing.T, name string) {
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const fence = "```console\n"
	var after strings.Builder
	text, sessions := string(before), 0
	for {
		head, rest, found := strings.Cut(text, fence)
		after.WriteString(head)
		if !found {
			break
		}
		session, tail, closed := strings.Cut(rest, "```\n")
		if !closed {
			t.Fatalf("%s: a console block is not closed", name)
		}
		after.WriteString(fence + replaySession(t, session) + "```\n")
		text = tail
		sessions++
	}
	if sessions == 0 {
		t.Errorf("%s has no session", name)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(name, []byte(after.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(before), after.String()); diff != "" {
		t.Error(diff)
	}
}

// replaySession returns the session with the commands run anew.
func replaySession(t *testing.T, session string) string {
	var out bytes.Buffer
	for line := range strings.Lines(session) {
		command, ok := strings.CutPrefix(line, "$ perf ")
		if !ok {
			continue
		}
		out.WriteString(line)
		var stderr bytes.Buffer
		if status := run(t.Context(), words(command), strings.NewReader(""), &out, &stderr); status != exitDone {
			t.Errorf("%sstatus %d\n%s", line, status, &stderr)
		}
	}
	return out.String()
}

// words splits a command as a shell does that knows single quotes alone.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(strings.TrimSpace(line), "'") {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}
