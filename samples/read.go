package samples

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
)

const (
	block   = 4 << 20  // bytes that are read, and decoded on all processors, at once
	maxLine = 32 << 20 // bytes of a record
)

// line is a line of a journal, or several that are blank.
type line struct {
	number int     // of the first
	text   []byte  // with the newline, which the last line may lack
	record *Record // nil where the line is blank
	entry  entry   // of the record, but for its place
	err    error   // it is not a valid record
}

func (l *line) newlines() int { return bytes.Count(l.text, []byte("\n")) }

// torn reports whether the line was cut off by the end of the process that wrote it.
func (l *line) torn() bool { return l.err != nil && l.newlines() == 0 && !json.Valid(l.text) }

// read returns the lines of a text, whose first has the given number. A line is valid until the next one is asked for. An error is one
// of reading, and the last.
func read(name string, r *io.SectionReader, number int) iter.Seq2[*line, error] {
	return func(yield func(*line, error) bool) {
		for whole, err := range blocks(name, r) {
			if err != nil {
				if tooLong := (*source.Error)(nil); errors.As(err, &tooLong) {
					tooLong.Pos.Line = number
				}
				yield(nil, err)
				return
			}
			for _, l := range decode(name, whole, number) {
				if !yield(&l, nil) {
					return
				}
				number += l.newlines()
			}
		}
	}
}

// blocks returns a text in blocks of whole lines; what follows the last newline is a block of its own, or a part of the last. A block is valid
// until the next one is asked for. An error is the last.
func blocks(name string, r *io.SectionReader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		buffer, kept, end := make([]byte, min(block, r.Size()+1)), 0, false
		for !end {
			n, err := io.ReadFull(r, buffer[kept:])
			if end = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !end {
				yield(nil, fmt.Errorf("reading samples: %s: %w", name, err))
				return
			}
			text := buffer[:kept+n]
			whole := text
			if !end {
				whole = text[:bytes.LastIndexByte(text, '\n')+1]
			}
			if len(whole) > 0 && !yield(whole, nil) {
				return
			}
			if len(whole) == 0 && !end {
				if len(buffer) >= maxLine {
					yield(nil, at(name, 1, 1, "", "the line has more than %d MB, the limit of a sample", maxLine>>20))
					return
				}
				buffer = append(buffer, make([]byte, len(buffer))...)
			}
			kept = copy(buffer, text[len(whole):])
		}
	}
}

// decode reads the records of a block of lines, a share of them on each processor: a journal may hold a million.
func decode(name string, text []byte, number int) (lines []line) {
	at, blank := 0, false
	for t := range bytes.Lines(text) {
		before := blank
		if blank = len(bytes.TrimSpace(t)) == 0; blank && before {
			last := &lines[len(lines)-1].text
			*last = text[at-len(*last) : at+len(t)]
		} else {
			lines = append(lines, line{number: number, text: t})
		}
		at += len(t)
		number++
	}
	const share = 64 // lines for a goroutine at a time
	parallel.For((len(lines)+share-1)/share, func(n int) {
		for i := n * share; i < min((n+1)*share, len(lines)); i++ {
			l := &lines[i]
			if len(bytes.TrimSpace(l.text)) > 0 {
				l.record, l.err = parseRecord(name, l.number, string(bytes.TrimSuffix(l.text, []byte("\n"))))
			}
			if l.record != nil {
				l.entry = entryOf(l.record)
			}
		}
	})
	return lines
}

func parseRecord(name string, line int, text string) (*Record, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var r Record
	if err := dec.Decode(&r); err != nil {
		return nil, at(name, line, column(err, text), text, "not a sample: %s", cleaned(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, at(name, line, int(dec.InputOffset())+1, text, "more than one value on the line")
	}
	if err := r.Check(); err != nil {
		return nil, at(name, line, 0, "", "not a valid sample: %v", err)
	}
	return &r, nil
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
		return fmt.Sprintf("%s must be no %s", cmp.Or(typ.Field, "the line"), typ.Value)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the line ends in the middle of it"
	}
	if rest, ok := strings.CutPrefix(err.Error(), "invalid character "); ok {
		if char, err := strconv.QuotedPrefix(rest); err == nil {
			return char + " is no JSON here"
		}
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
