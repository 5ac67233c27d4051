package samples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gpuperf/internal/source"
)

// ReadFile reads a journal. See [Read].
func ReadFile(path string) (records []Record, warnings []error, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading samples: %w", err)
	}
	records, warnings, _, err = parse(path, data)
	return records, warnings, err
}

// Read reads records, one JSON object a line; blank lines are skipped. A last line that was cut off is a warning. Any
// other line that is not a valid record, or that is of another device than the first one, is an error
// that names the file (name is used for nothing else), line and, where known, column.
func Read(name string, r io.Reader) (records []Record, warnings []error, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, fmt.Errorf("reading samples: %w", err)
	}
	records, warnings, _, err = parse(name, data)
	return records, warnings, err
}

// parse also returns how many bytes hold whole records: where the next one is to be written.
func parse(name string, data []byte) (records []Record, warnings []error, whole int64, err error) {
	for line := 1; whole < int64(len(data)); line++ {
		text, _, ended := bytes.Cut(data[whole:], []byte("\n"))
		next := whole + int64(len(text))
		if ended {
			next++
		}
		if len(bytes.TrimSpace(text)) > 0 {
			r, err := parseRecord(name, line, string(text))
			if err == nil && len(records) > 0 && !r.Device.Same(records[0].Device) {
				err = at(name, line, 0, "", "the record is of device %v, those before it are of %v", r.Device, records[0].Device).
					WithHint("keep one file for each device")
			}
			if err != nil {
				if !ended && !json.Valid(text) {
					return records, append(warnings, at(name, line, 0, "", "the last line is incomplete: a run was killed while writing it")), whole, nil
				}
				return nil, nil, 0, err
			}
			records = append(records, r)
		}
		whole = next
	}
	return records, warnings, whole, nil
}

func parseRecord(name string, line int, text string) (Record, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var r Record
	if err := dec.Decode(&r); err != nil {
		return Record{}, at(name, line, column(err, text), text, "not a sample: %s", cleaned(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return Record{}, at(name, line, int(dec.InputOffset())+1, text, "more than one value on the line")
	}
	if err := r.Check(); err != nil {
		return Record{}, at(name, line, 0, "", "not a valid sample: %v", err)
	}
	return r, nil
}

// at makes the error at a line. A line's text is shown only when it is short enough for a caret to be of use.
func at(name string, line, column int, text, format string, args ...any) *source.Error {
	e := &source.Error{File: name, Pos: source.Pos{Line: line, Column: max(column, 1)}, Msg: fmt.Sprintf(format, args...)}
	if len(text) <= 160 && column > 0 {
		e.Line = text
	}
	return e
}

// column finds the 1-based column that a JSON error speaks of, or 0.
func column(err error, text string) int {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return len(text)
	case errors.As(err, &syntax):
		return int(syntax.Offset)
	case errors.As(err, &typ):
		return int(typ.Offset)
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return strings.Index(text, key) + 1
	}
	return 0
}

func cleaned(err error) string {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return fmt.Sprintf("%s must not be a %s", typ.Field, typ.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
