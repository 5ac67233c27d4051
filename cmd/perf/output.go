package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// output is standard output. It keeps the first error of writing, which few writers look at. JSON is held back until the command has
// ended, so that a result and a later failure are one object.
type output struct {
	w    io.Writer
	held *bytes.Buffer // nil where what is written goes out at once
	err  error
}

func (o *output) Write(p []byte) (int, error) {
	if o.held != nil {
		return o.held.Write(p)
	}
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

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

// show prints a result: as JSON where the user asked for it, else as text.
func show(cmd *cobra.Command, result any, text func(w io.Writer) error) error {
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), result)
	}
	return text(cmd.OutOrStdout())
}

// showText is show of a text that is at hand.
func showText(cmd *cobra.Command, result any, text string) error {
	return show(cmd, result, func(w io.Writer) error {
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

// note prints a line of progress, on standard error.
func note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...)
}

// warn prints warnings, on standard error.
func warn[T any](cmd *cobra.Command, warnings []T) {
	for _, w := range warnings {
		note(cmd, "warning: %v", w)
	}
}

// warnf prints one warning.
func warnf(cmd *cobra.Command, text string, args ...any) { note(cmd, "warning: "+text, args...) }
