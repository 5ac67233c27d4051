package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/terminal"
	"gpuperf/internal/warning"
)

// output is standard output. It keeps the first error of writing, which few writers look at, and writes nothing after it. JSON is held back
// until the command has ended, so that a result and a later failure are one object.
type output struct {
	w    io.Writer
	held *bytes.Buffer // nil where what is written goes out at once
	err  error
}

func (o *output) Write(p []byte) (int, error) {
	if o.held != nil {
		return o.held.Write(p)
	}
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	if err != nil {
		o.err = fmt.Errorf("writing the result: %w", err)
	}
	return n, o.err
}

// Fd is that of the stream, so that it shows whether this is a terminal.
func (o *output) Fd() uintptr { return terminal.Fd(o.w) }

// Unwrap is the stream.
func (o *output) Unwrap() io.Writer { return o.w }

// hold begins to hold back what is written.
func (o *output) hold(on bool) {
	if on {
		o.held = new(bytes.Buffer)
	}
}

// fail adds an error to the object that is held back, or makes it one of the error alone.
func (o *output) fail(err error) {
	o.hold(o.held == nil)
	object := map[string]any{}
	decoder := json.NewDecoder(o.held)
	decoder.UseNumber()
	if decoder.Decode(&object) != nil {
		clear(object)
	}
	object["error"] = failureOf(err)
	o.held.Reset()
	printJSON(o.held, object)
}

// warn adds to the object that is held back, if any, the warnings that stand nowhere in it.
func (o *output) warn(all []string) {
	if o.held == nil || len(all) == 0 {
		return
	}
	var object jsonvalue.Object[json.RawMessage]
	var whole any
	if json.Unmarshal(o.held.Bytes(), &object) != nil || json.Unmarshal(o.held.Bytes(), &whole) != nil {
		return
	}
	told := warningsIn(whole, false)
	all = slices.DeleteFunc(slices.Clone(all), func(text string) bool {
		return slices.ContainsFunc(told, func(t string) bool { return strings.HasSuffix(text, t) }) // alone or with its subject before it
	})
	if len(all) == 0 {
		return
	}
	at := slices.IndexFunc(object, func(m jsonvalue.Member[json.RawMessage]) bool { return m.Name == "warnings" })
	if at < 0 {
		at, object = len(object), append(object, jsonvalue.Member[json.RawMessage]{Name: "warnings"})
	}
	var own []string
	json.Unmarshal(object[at].Value, &own)
	var list bytes.Buffer
	printJSON(&list, append(own, all...))
	object[at].Value = list.Bytes()
	o.held.Reset()
	printJSON(o.held, object)
}

// warningsIn are the texts of the lists named "warnings" in a JSON value; within says that the value is in one.
func warningsIn(v any, within bool) (texts []string) {
	switch v := v.(type) {
	case string:
		if within {
			texts = []string{v}
		}
	case []any:
		for _, x := range v {
			texts = append(texts, warningsIn(x, within)...)
		}
	case map[string]any:
		for key, x := range v {
			texts = append(texts, warningsIn(x, key == "warnings")...)
		}
	}
	return texts
}

// flush writes what was held back, and returns the first error of writing.
func (o *output) flush() error {
	if held := o.held; held != nil {
		o.held = nil
		o.Write(held.Bytes())
	}
	return o.err
}

// wantJSON reports whether the user asked for JSON.
func wantJSON(cmd *cobra.Command) bool {
	on, _ := cmd.Flags().GetBool("json")
	return on
}

// show prints a result: as JSON where the user asked for it, else as text whose lines are broken between words where the terminal is narrower.
func show(cmd *cobra.Command, result any, text func(w io.Writer) error) error {
	return showCode(cmd, result, wrapped(text))
}

// wrapped is a text whose lines are broken so.
func wrapped(text func(w io.Writer) error) func(w io.Writer) error {
	return func(w io.Writer) error {
		all := &heldText{to: w}
		err := text(all)
		_, broken := terminal.NewLive(w).Write(all.Bytes())
		return errors.Join(err, broken)
	}
}

// showCode is show of text whose lines stay as they are, as those of programs.
func showCode(cmd *cobra.Command, result any, text func(w io.Writer) error) error {
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), result)
	}
	return text(cmd.OutOrStdout())
}

// heldText is text for a stream, held back as lines can only be broken when they are whole.
type heldText struct {
	bytes.Buffer
	to io.Writer
}

// Fd is that of the stream, so that it shows whether this is a terminal.
func (t *heldText) Fd() uintptr { return terminal.Fd(t.to) }

// showText is showCode of a text that is at hand.
func showText(cmd *cobra.Command, result any, text string) error {
	return showCode(cmd, result, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// kernelsJSON is the object of results that are one for each kernel: the only one itself, or a list.
func kernelsJSON[T any](all []T) any {
	if len(all) == 1 {
		return all[0]
	}
	return map[string]any{"kernels": all}
}

// printJSON writes v, indented, without escaping < and >, which formulas are full of.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// messages is standard error: notes, progress and warnings. Warnings are printed when the command has ended, each kind once.
type messages struct {
	w        *terminal.Live
	warnings warning.Printer
}

// Write writes notes and progress, which --quiet leaves out.
func (m *messages) Write(p []byte) (int, error) {
	if m.warnings.Quiet {
		return len(p), nil
	}
	return m.w.Write(p)
}

// Fd is that of the stream, so that it shows whether this is a terminal.
func (m *messages) Fd() uintptr { return terminal.Fd(m.w) }

// Unwrap is the stream.
func (m *messages) Unwrap() io.Writer { return m.w }

func (m *messages) fail(err error) {
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if strings.Trim(line, " \t^") == "" { // the caret below a line of a file
			lines[i] = terminal.Error.Paint(m.w, line)
		}
	}
	fmt.Fprintf(m.w, "%s %s\n", terminal.Error.Paint(m.w, "perf:"), strings.Join(lines, "\n"))
}

// note prints a line of progress, on standard error.
func note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...)
}

// warn keeps warnings for the end of the command.
func warn[T any](cmd *cobra.Command, warnings []T) {
	for _, w := range warnings {
		cmd.ErrOrStderr().(*messages).warnings.Add(fmt.Sprint(w))
	}
}

// warnNow prints a warning at once, if it is one.
func warnNow(cmd *cobra.Command, text string) {
	if m := cmd.ErrOrStderr().(*messages); text != "" {
		m.warnings.Now(m.w, text)
	}
}

func warnf(cmd *cobra.Command, kind warning.Kind, about, format string, args ...any) {
	warn(cmd, []string{kind.About(about, format, args...)})
}
