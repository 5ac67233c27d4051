package script

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"go.starlark.net/starlark"
)

// The limits of what a run prints.
const (
	maxPrints     = 100
	maxPrintBytes = 1000 // of each text
)

type printKey struct{}

// Printing is a context in which scripts print to w; without, they print to standard error.
func Printing(ctx context.Context, w io.Writer) context.Context {
	return context.WithValue(ctx, printKey{}, w)
}

// printer is what print calls in a run: it writes each text after its place, file:line.
func printer(ctx context.Context) func(*starlark.Thread, string) {
	given, _ := ctx.Value(printKey{}).(io.Writer)
	w := cmp.Or[io.Writer](given, os.Stderr)
	n := 0
	return func(thread *starlark.Thread, text string) {
		at := thread.CallFrame(1).Pos // of the call of print
		switch n++; {
		case n <= maxPrints:
			if len(text) > maxPrintBytes {
				text = strings.ToValidUTF8(text[:maxPrintBytes], "") + " …"
			}
			fmt.Fprintf(w, "%s:%d: %s\n", at.Filename(), at.Line, text)
		case n == maxPrints+1:
			fmt.Fprintf(w, "%s:%d: the script prints more; only its first %d texts are shown\n", at.Filename(), at.Line, maxPrints)
		}
	}
}
