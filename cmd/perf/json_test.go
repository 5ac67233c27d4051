package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// named are the keys of objects whose own keys are names of sizes, of arrays or of metrics, numbers of axes, or accesses of machine code.
var named = []string{"accesses", "arrays", "at", "gstrides", "lstrides", "metrics"}

var keyForm = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// wrongKeys lists the keys of a JSON value that are not lower case, as paths.
func wrongKeys(path string, v any) (wrong []string) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			wrong = append(wrong, wrongKeys(path, x)...)
		}
	case map[string]any:
		free := slices.Contains(named, path[strings.LastIndex(path, ".")+1:])
		for key, x := range v {
			if !free && !keyForm.MatchString(key) {
				wrong = append(wrong, path+"."+key)
			}
			wrong = append(wrong, wrongKeys(path+"."+key, x)...)
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

// checkJSON is what the outputs with --json of all sessions have to keep to: one object, with keys in lower case, and with the warnings
// that standard error has.
func checkJSON(text []byte, messages string) error {
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("the output is no JSON object: %w", err)
	}
	if wrong := wrongKeys("", v); len(wrong) > 0 {
		return fmt.Errorf("keys of JSON are lower case with underscores: %s", strings.Join(wrong, " "))
	}
	told := warningsIn(v, false)
	for line := range strings.Lines(messages) {
		if w, is := strings.CutPrefix(strings.TrimSpace(line), "warning: "); is && !strings.Contains(w, " more like the one above") && !slices.ContainsFunc(told, func(t string) bool { return strings.HasSuffix(w, t) }) {
			return fmt.Errorf("the object lacks the warning %q", w)
		}
	}
	return nil
}

func TestCheckJSON(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"relative_error": 1, "samples": [{"n2": {}}]}`: true,
		`{"at": {"N": 1}, "x": {"at": {"nRows": 2}}}`:    true,
		`{"samples": [{"Kernel": 1}]}`:                   false,
		`{"at": {"N": {"Value": 1}}}`:                    false,
		`{"relativeError": 1}`:                           false,
		`{"relative error": 1}`:                          false,
		`[]`:                                             false,
		`{} {}`:                                          false,
	} {
		if err := checkJSON([]byte(text), ""); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever the text of a command warns of stands in its JSON too, once.
func TestWarningsInJSON(t *testing.T) {
	const said = "a: big [outlier]"
	for text, want := range map[string]string{
		`{"x": 1}`:                     `{"x":1,"warnings":["a: big [outlier]","k: odd [undefined]"]}`,
		`{"warnings": null, "x": "<"}`: `{"warnings":["a: big [outlier]","k: odd [undefined]"],"x":"<"}`,
		`{"warnings": ["b [noisy]"]}`:  `{"warnings":["b [noisy]","a: big [outlier]","k: odd [undefined]"]}`,
		`{"of": [{"warnings": ["big [outlier]"]}], "z": {"warnings": ["odd [undefined]"]}}`: `{"of":[{"warnings":["big [outlier]"]}],"z":{"warnings":["odd [undefined]"]}}`,
	} {
		o := &output{held: bytes.NewBufferString(text)}
		o.warn([]string{said, "k: odd [undefined]"})
		var got bytes.Buffer
		if err := json.Compact(&got, o.held.Bytes()); err != nil || got.String() != want {
			t.Errorf("%s became %s, %v; want %s", text, &got, err, want)
		}
		if err := checkJSON(o.held.Bytes(), "warning: "+said+"\n"); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if err := checkJSON([]byte(`{}`), "warning: "+said+"\n"); err == nil {
			t.Error("a warning that the object lacks was not missed")
		}
	}
}

// Each command with a result has a session with --json, whose keys are then checked.
func TestSessionsOfJSON(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			visit(c)
		}
		// perf app needs a CUDA device, and prints what perf emulate prints of a folder.
		if cmd.HasAvailableSubCommands() || cmd.Hidden || slices.Contains([]string{"help", "completion", "serve", "app"}, strings.Fields(cmd.CommandPath())[1]) {
			return
		}
		if !regexp.MustCompile(`(?m)^(\[opencl\] )?` + cmd.CommandPath() + ` (.* )?--json`).Match(all.Bytes()) {
			t.Errorf("no session of testdata/script runs %s with --json", cmd.CommandPath())
		}
	}
	visit(newRoot())
}
