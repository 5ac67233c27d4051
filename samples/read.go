package samples

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
)

// ReadFile reads a journal. See [Read].
func ReadFile(path string) (records []Record, warnings []error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading samples: %w", err)
	}
	defer f.Close()
	return Read(path, f)
}

// Read reads records, one JSON object a line; blank lines are skipped. A last line that was cut off is a warning. Any
// other line that is not a valid record, or that is of another device than the first one, is an error
// that names the file (name is used for nothing else), line and, where known, column. What gzip has compressed is unpacked.
func Read(name string, r io.Reader) (records []Record, warnings []error, err error) {
	data, err := io.ReadAll(r)
	if err == nil && isGzip(data) {
		data, err = unpack(data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading samples: %s: %w", name, err)
	}
	records, warnings, _, err = parse(name, data)
	return records, warnings, err
}

func isGzip(data []byte) bool { return bytes.HasPrefix(data, []byte{0x1f, 0x8b}) }

// unpack returns what gzip has compressed, up to a size that no journal has, lest a small file fills the memory.
func unpack(data []byte) ([]byte, error) {
	const limit = 2 << 30
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err == nil && len(out) > limit {
		err = fmt.Errorf("it unpacks to more than %d bytes", limit)
	}
	return out, err
}

// line is a line of a journal that is not blank, and what it says.
type line struct {
	number int
	text   []byte
	end    int64 // where the next one starts
	ended  bool  // by a newline
	record Record
	err    error
}

// parse also returns how many bytes hold whole records: where the next one is to be written.
func parse(name string, data []byte) (records []Record, warnings []error, whole int64, err error) {
	lines := split(data)
	decode(name, lines)
	for i, l := range lines {
		if l.err == nil && i > 0 && !l.record.Device.Same(lines[0].record.Device) {
			l.err = at(name, l.number, 0, "", "the record is of device %v, those before it are of %v", l.record.Device, lines[0].record.Device).
				WithHint("keep one file for each device")
		}
		if l.err != nil {
			if !l.ended && !json.Valid(l.text) {
				return records, append(warnings, at(name, l.number, 0, "", "the last line is incomplete: a run was killed while writing it")), whole, nil
			}
			return nil, nil, 0, l.err
		}
		records = append(records, l.record)
		whole = l.end
	}
	return records, warnings, int64(len(data)), nil
}

// split finds the lines that are not blank.
func split(data []byte) (lines []line) {
	at := int64(0)
	for number := 1; at < int64(len(data)); number++ {
		text, _, ended := bytes.Cut(data[at:], []byte("\n"))
		at += int64(len(text))
		if ended {
			at++
		}
		if len(bytes.TrimSpace(text)) > 0 {
			lines = append(lines, line{number: number, text: text, end: at, ended: ended})
		}
	}
	return lines
}

// decode reads the records of the lines, a share of them on each processor: a journal may hold many thousands.
func decode(name string, lines []line) {
	const share = 256
	parallel.For((len(lines)+share-1)/share, func(n int) {
		for i := n * share; i < min((n+1)*share, len(lines)); i++ {
			l := &lines[i]
			l.record, l.err = parseRecord(name, l.number, string(l.text))
		}
	})
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
