package lift

import (
	_ "embed"
	"errors"
	"fmt"

	rowsof "gpuperf/internal/rows"
	"gpuperf/internal/source"
)

//go:embed signatures.txt
var signatureText string

// signatures are the types of patterns and builtin functions, as signatures.txt has them.
var signatures = func() map[string]string {
	all := map[string]string{}
	for r := range rowsof.Of(signatureText) {
		all[r[0]] = r[1]
	}
	return all
}()

// mistake is an error of a program, with what would be right.
type mistake struct {
	error
	hint string
	op   Op // where there is no hint: the operator that is used wrongly
}

func (m *mistake) Unwrap() error { return m.error }

// wrong is an error with what would be right.
func wrong(hint, format string, args ...any) error {
	return &mistake{error: fmt.Errorf(format, args...), hint: hint}
}

// hintOf is what would be right, as the error says; "" where it does not.
func hintOf(err error) string {
	var m *mistake
	var place *source.Error
	switch {
	case errors.As(err, &m) && m.hint == "":
		return Usage(m.op.String())
	case m != nil:
		return m.hint
	case errors.As(err, &place):
		return place.Hint
	}
	return ""
}

// rejected fails at a place of the text, for a reason that may know what would be right.
func (e *elaborator) rejected(at int, err error) { e.FailHint(at, hintOf(err), "%v", err) }

// typeForms are examples of types, for hints.
const typeForms = "types are written float32, int32, [float32]n, [[float32]m](n + 2), <float32>4, (float32, int32)"

// tooLong is the hint for programs that exceed a limit.
const tooLong = "name what stands there several times: let(y = …, …), or a def"

// sizeForms are what sizes consist of, for hints.
const sizeForms = "sizes are made of whole numbers, size symbols, + - * / ^, such as n, 16 or (n + 2)/4"
