package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"unicode"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
)

// kinds are the results of commands, by a key that no other above has.
var kinds = []struct {
	key, kind string
	read      func(s *Section, text []byte) error
}{
	{"suites", "evaluation", (*Section).evaluation},
	{"curve", "search", (*Section).search},
	{"ranking", "ranking", (*Section).ranking},
	{"rankings", "rankings", (*Section).rankings},
	{"samples", "samples", (*Section).measured},
	{"terms", "prediction", (*Section).prediction},
	{"sensitivity", "emulation", (*Section).prediction},
	{"alike", "application", (*Section).applications},
	{"kernels", "predictions", (*Section).predictions},
	{"timeline", "timeline", (*Section).timeline},
	{"ranges", "exploration of sizes", (*Section).ranges},
	{"comparison", "comparison of devices", (*Section).comparison},
	{"devices", "search on several devices", (*Section).onDevices},
	{"continued", "ranking of configurations", (*Section).configurations},
	{"programs", "comparison of strategies", (*Section).strategies},
}

// Known are the results that a page can show, for messages.
const Known = "samples (.jsonl), profiles (.yaml), timelines of perf emulate (.json), and what evaluate, rank, predict, explain, app, emulate, measure, tune, lift explore and fleet merge print with --json (.json)"

// maxResult is the size of the largest result that is read, in bytes.
const maxResult = 256 << 20

// Application makes a section of what perf emulate tells of a folder, as JSON.
func Application(title string, text []byte) (Section, error) {
	s := Section{Title: title, File: title, ID: identifier(title)}
	return s, s.applications(text)
}

// Read makes a section of a file. An error is one of the file: it cannot be read, or it is none that is known.
func Read(path string) (Section, error) {
	s := Section{Title: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), File: path, ID: identifier(path)}
	switch {
	case strings.HasSuffix(path, ".jsonl"), strings.HasSuffix(path, ".jsonl.gz"):
		return s, s.samples(path)
	case strings.HasSuffix(path, ".yaml"):
		return s, s.profile(path)
	}
	text, err := bounded.ReadFile(path, maxResult)
	if err != nil {
		return s, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return s, misread(path, text, err, "this is no result of a command").WithHint("a page shows %s", Known)
	}
	for _, k := range kinds {
		if _, ok := keys[k.key]; !ok {
			continue
		}
		s.Kind = k.kind
		if err := k.read(&s, text); err != nil {
			return s, misread(path, text, err, "not as the commands print the key "+k.key)
		}
		var indented bytes.Buffer
		if len(text) < 1<<20 && json.Indent(&indented, text, "", "  ") == nil {
			s.Folded = append(s.Folded, Fold{"the file", indented.String()})
		}
		return s, nil
	}
	return s, &source.Error{File: path, Msg: "this result cannot be shown", Hint: "a page shows " + Known}
}

// misread says what is wrong with the text of a file, and where the error of reading it as JSON tells that.
func misread(path string, text []byte, err error, what string) *source.Error {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return source.New(path, string(text), int(max(syntax.Offset-1, 0)), "%s: %v", what, err)
	case errors.As(err, &typed):
		return source.New(path, string(text), int(max(typed.Offset-1, 0)), "%s: %s cannot stand for %s", what, typed.Value, cmp.Or(typed.Field, "the whole"))
	}
	return &source.Error{File: path, Msg: what + ": " + err.Error()}
}

// identifier is a path as the name of a place in the page.
func identifier(path string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '-'
	}, path)
}
