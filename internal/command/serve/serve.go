// Package serve answers questions over a pair of streams: a line of JSON each, {"id": 1, "method": "predict", "params": {…}}, and for each,
// in the same order, a line {"id": 1, "result": …} or {"id": 1, "error": {"message": …}}. What methods there are is up to the caller.
package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/source"
)

// Method answers one question.
type Method func(ctx context.Context, params json.RawMessage) (any, error)

// request is a question.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// answer is the answer to one.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	Error  any             `json:"error,omitempty"`
}

// maxLine is the length of the longest question, in bytes. A longer one is read past, and answered with an error.
const maxLine = 16 << 20

// Run answers the questions of in until it ends. How the error of an answer is told is up to failure. An error is one of reading or writing.
func Run(ctx context.Context, in io.Reader, out io.Writer, methods map[string]Method, failure func(error) any) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriter(out)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for {
		line, length, err := readLine(lines)
		if err != nil && err != io.EOF {
			return err
		}
		last := err == io.EOF
		if length == len(line) && len(bytes.TrimSpace(line)) == 0 {
			if last {
				return nil
			}
			continue
		}
		a := reply(ctx, line, length, methods)
		if err, failed := a.Error.(error); failed {
			a.Error = failure(err)
		}
		if err := encoder.Encode(a); err != nil { // of the result: nothing of it is written
			if err := encoder.Encode(answer{ID: a.ID, Error: failure(err)}); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if last {
			return nil
		}
	}
}

// readLine reads a line without its end, or no more than maxLine bytes of one, and says how long it is. The error is io.EOF where the input ends with it.
func readLine(in *bufio.Reader) (line []byte, length int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if err == nil {
			part = part[:len(part)-1]
		}
		length += len(part)
		line = append(line, part[:min(len(part), maxLine-len(line))]...)
		if err != bufio.ErrBufferFull {
			return line, length, err
		}
	}
}

// reply answers a line of a length, of which there may be less. The error of an answer is an error.
func reply(ctx context.Context, line []byte, length int, methods map[string]Method) answer {
	switch at := invalid(line); {
	case length > len(line):
		return answer{Error: &source.Error{Msg: fmt.Sprintf("the question has %d bytes, and may have %d", length, maxLine), Hint: "put what is long into a file, and name the file"}}
	case at >= 0:
		return answer{Error: &source.Error{Msg: fmt.Sprintf("byte %d of the question, %#x, is not text in UTF-8", at, line[at])}}
	}
	var q request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&q)
	if err == nil && decoder.InputOffset() < int64(len(bytes.TrimRight(line, " \t\r"))) {
		err = errors.New("there is more in the line, after the object")
	}
	if err != nil {
		told := &source.Error{Msg: "a question is an object with id, method and params: " + err.Error()}
		if notNumber.Match(line) {
			told.Hint = "JSON has no NaN and no Infinity: null stands for what is not known"
		}
		return answer{Error: told}
	}
	if q.ID == nil {
		return answer{Error: &source.Error{Msg: "the question has no id"}}
	}
	if err := repeated(json.NewDecoder(bytes.NewReader(line)), ""); err != nil {
		return answer{ID: q.ID, Error: err}
	}
	method, ok := methods[q.Method]
	if !ok {
		return answer{ID: q.ID, Error: &source.Error{Msg: fmt.Sprintf("there is no method %q", q.Method), Hint: source.Suggest(q.Method, slices.Sorted(maps.Keys(methods)))}}
	}
	result, err := method(ctx, q.Params)
	if err != nil {
		return answer{ID: q.ID, Error: err}
	}
	return answer{ID: q.ID, Result: result}
}

// repeated is an error where an object of a value has a key twice, of which a decoder takes the last. The value stands under a key, "" for the whole.
func repeated(d *json.Decoder, under string) error {
	opened, err := d.Token()
	if _, nested := opened.(json.Delim); err != nil || !nested {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		within := under
		if opened == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return err
			}
			within = strings.TrimPrefix(under+"."+key.(string), ".")
			if seen[within] {
				return &source.Error{Msg: within + " stands there twice", Hint: "give it once: which of the two is meant is not clear"}
			}
			seen[within] = true
		}
		if err := repeated(d, within); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// notNumber finds what programs write for numbers that JSON does not have.
var notNumber = regexp.MustCompile(`[:\[,]\s*-?(NaN|nan|Infinity|inf)\b`)

// invalid is the place of the first byte that is not UTF-8, -1 where all are.
func invalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
}

// Decode reads the parameters of a method into v; none are none given. A key that v does not have is an error.
func Decode(params json.RawMessage, v any) error {
	if len(params) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(params))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && kinds[wrong.Type.Kind()] != "":
		return fmt.Errorf("params: %s: %s stands where %s should stand", wrong.Field, wrong.Value, kinds[wrong.Type.Kind()])
	}
	return fmt.Errorf("params: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// kinds are the names of what JSON can hold.
var kinds = map[reflect.Kind]string{
	reflect.Map: "an object", reflect.Struct: "an object", reflect.Slice: "a list", reflect.String: "a string", reflect.Bool: "true or false",
	reflect.Int: "a whole number", reflect.Int64: "a whole number", reflect.Float64: "a number",
}
