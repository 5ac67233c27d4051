package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

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
