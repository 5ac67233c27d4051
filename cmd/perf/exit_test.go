package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// full is a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// toFullDisk runs a command line whose output cannot be written, and checks that it fails and says so in the words that all commands have.
func toFullDisk(t *testing.T, args ...string) {
	t.Helper()
	var said bytes.Buffer
	status := run(context.Background(), args, strings.NewReader(`{"method": "models"}`), full{}, &said)
	if want := "perf: writing the result: no space left\n"; status != exitFailed || said.String() != want {
		t.Errorf("%q to a full disk: status %d, %q instead of %q", args, status, said.String(), want)
	}
}

// commandLines are the words that call each command below one.
func commandLines(cmd *cobra.Command, words []string) [][]string {
	all := [][]string{words}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			all = append(all, commandLines(c, append(slices.Clone(words), c.Name()))...)
		}
	}
	return all
}

// runJSON runs a command line, and checks that its standard output is one JSON object; that of a failure, with its status.
func runJSON(t *testing.T, ctx context.Context, args []string) (status int, object map[string]any) {
	t.Helper()
	var stdout bytes.Buffer
	status = run(ctx, args, strings.NewReader(""), &stdout, io.Discard)
	decoder := json.NewDecoder(&stdout)
	if err := decoder.Decode(&object); err != nil {
		t.Errorf("%q: standard output is no JSON object: %v", args, err)
	} else if decoder.More() {
		t.Errorf("%q: more than one object", args)
	}
	failed, _ := object["error"].(map[string]any)
	switch {
	case status == exitDone && failed != nil, status != exitDone && (failed["exit"] != float64(status) || failed["message"] == ""):
		t.Errorf("%q: status %d and error %v", args, status, failed)
	}
	return status, object
}

// TestExitOfEveryCommand: what goes wrong for all commands alike has the status that their help tells.
func TestExitOfEveryCommand(t *testing.T) {
	t.Setenv("PERF_DATA", t.TempDir())
	ctx := context.Background()
	for _, words := range commandLines(newRoot(), nil) {
		call := func(more ...string) []string { return append(slices.Clone(words), more...) }
		var help bytes.Buffer
		if status := run(ctx, call("--help"), nil, &help, io.Discard); status != exitDone || !strings.Contains(help.String(), "\nExit status:\n  0  "+exitMeanings[exitDone]+"\n") {
			t.Errorf("%q --help: status %d, statuses are not told", words, status)
		}
		toFullDisk(t, call("--help")...)
		for _, wrong := range [][]string{{"--json", "--nosuch"}, {"--nosuch", "--json"}, slices.Concat(slices.Repeat([]string{"nosuch"}, 9), []string{"--json"})} {
			if status, object := runJSON(t, ctx, call(wrong...)); status != exitUsage || len(object) != 1 {
				t.Errorf("%q %q: status %d, %v", words, wrong, status, object)
			}
		}
	}
}

// TestExitOfInputs: wrong files, with the place of what is wrong.
func TestExitOfInputs(t *testing.T) {
	t.Setenv("PERF_DATA", t.TempDir())
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	syntax, long := file("syntax.star", "x = 1\nknl = )"), file("long.star", strings.Repeat("# long\n", 200_000))
	folder := filepath.Join(dir, "folder.star")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, command := range []string{"show", "count", "predict", "explain", "rank", "measure", "feature"} {
		for path, want := range map[string]map[string]any{
			syntax:                             {"file": syntax, "line": 2.0, "column": 7.0},
			long:                               {"file": long},
			filepath.Join(dir, "missing.star"): {"file": filepath.Join(dir, "missing.star")},
			folder:                             {"file": folder},
		} {
			args := []string{command, path, "--json"}
			if command == "feature" {
				args = []string{command, path, "f_op_float32_mul", "--json"}
			}
			status, object := runJSON(t, ctx, args)
			for key, value := range want {
				if got := object["error"].(map[string]any)[key]; got != value {
					t.Errorf("%q: %s is %v, not %v", args, key, got, value)
				}
			}
			if status != exitUsage {
				t.Errorf("%q: status %d: %v", args, status, object)
			}
		}
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if status, object := runJSON(t, stopped, []string{"show", "--json", syntax}); status != exitFailed || !strings.Contains(object["error"].(map[string]any)["message"].(string), "stopped") {
		t.Errorf("stopped: status %d, %v", status, object)
	}
	for _, args := range [][]string{{"models"}, {"models", "--json"}, {"bench", "list"}, {"lift", "rules", "--json"}, {"completion", "fish"}, {"schema", "campaign"}, {}} {
		toFullDisk(t, args...)
		if status := run(ctx, args, nil, io.Discard, io.Discard); status != exitDone {
			t.Errorf("%q: status %d", args, status)
		}
	}
}
