package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"gpuperf/internal/source"
)

var methods = map[string]Method{
	"echo": func(_ context.Context, params json.RawMessage) (any, error) {
		var v struct{ Text string }
		if err := Decode(params, &v); err != nil {
			return nil, err
		}
		return v.Text, nil
	},
	"fail":     func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("no") },
	"infinite": func(context.Context, json.RawMessage) (any, error) { return math.Inf(1), nil },
}

func ask(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	if err := Run(context.Background(), strings.NewReader(text), &out, methods, func(err error) any { return err.Error() }); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestRun: each question has one answer, whatever is wrong with it.
func TestRun(t *testing.T) {
	for question, want := range map[string]string{
		`{"id": 1, "method": "echo", "params": {"text": "<a>"}}`:                             `{"id":1,"result":"<a>"}`,
		`{"id": "x", "method": "fail"}`:                                                      `{"id":"x","error":"no"}`,
		`{"id": 2, "method": "infinite"}`:                                                    `{"id":2,"error":"json: unsupported value: +Inf"}`,
		`{"id": 3, "method": "echo", "params": {"text": []}}`:                                `{"id":3,"error":"params: Text: array stands where a string should stand"}`,
		`{"id": 3, "method": "echo", "params": {"txt": 1}}`:                                  `{"id":3,"error":"params: unknown field \"txt\""}`,
		`{"id": 3, "method": "echo", "params": {"a": [{"n": 1, "m": 2}, {"n": 1, "n": 2}]}}`: `{"id":3,"error":"params.a.n stands there twice\n    give it once: which of the two is meant is not clear"}`,
		`{"id": 3, "id": 4, "method": "echo"}`:                                               `{"id":4,"error":"id stands there twice\n    give it once: which of the two is meant is not clear"}`,
		`{"method": "echo"}`:                                                                 `{"id":null,"error":"the question has no id"}`,
		"{\"id\": 4, \"method\": \"\xff\"}":                                                  `{"id":null,"error":"byte 21 of the question, 0xff, is not text in UTF-8"}`,
		"\xef\xbb":                                                                           `{"id":null,"error":"byte 0 of the question, 0xef, is not text in UTF-8"}`,
		` `:                                                                                  ``,
	} {
		if got := strings.TrimSuffix(ask(t, question+"\n"), "\n"); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
	if got := ask(t, `{"id": 1, "method": "fail"}`+"\n\n"+`{"id": 2, "method": "fail"}`); strings.Count(got, "\n") != 2 {
		t.Errorf("two questions: %s", got)
	}
}

// TestLongLine: a line of any length has one answer, which says how long one may be, and the next question is answered, too.
func TestLongLine(t *testing.T) {
	next := `{"id": 2, "method": "echo", "params": {"text": "b"}}`
	for _, length := range []int{maxLine + 1, 3*maxLine + 7} {
		answers := strings.Split(ask(t, strings.Repeat("x", length)+"\n"+next), "\n")
		if len(answers) != 3 || !strings.Contains(answers[0], fmt.Sprintf("the question has %d bytes, and may have %d", length, maxLine)) || answers[1] != `{"id":2,"result":"b"}` {
			t.Errorf("%d bytes: %.300q", length, answers)
		}
	}
	long := strings.Repeat("a", 1<<20)
	if got := ask(t, `{"id": 1, "method": "echo", "params": {"text": "`+long+`"}}`); !strings.Contains(got, long) {
		t.Errorf("a question of a mebibyte: %.300q", got)
	}
}

// endless gives the same byte without end, up to a number.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	n := min(len(p), e.left)
	if n == 0 {
		return 0, io.EOF
	}
	for i := range p[:n] {
		p[i] = ' '
	}
	e.left -= n
	return n, nil
}

// TestBoundedMemory: a line without end takes no more memory than the longest question.
func TestBoundedMemory(t *testing.T) {
	var out strings.Builder
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Run(t.Context(), &endless{64 * maxLine}, &out, methods, func(err error) any { return err.Error() }); err != nil || !strings.Contains(out.String(), "may have") {
		t.Errorf("%v: %.200q", err, out.String())
	}
	runtime.ReadMemStats(&after)
	if most := uint64(8 * maxLine); after.TotalAlloc-before.TotalAlloc > most {
		t.Errorf("%d bytes were taken", after.TotalAlloc-before.TotalAlloc)
	}
}

func FuzzRun(f *testing.F) {
	f.Add(`{"id": 1, "method": "echo", "params": {"text": "a"}}`)
	f.Add("\xff\n\x00\n{\"id\": 1}")
	f.Fuzz(func(t *testing.T, text string) {
		questions := 0
		for _, line := range strings.Split(text, "\n") {
			if strings.TrimSpace(line) != "" {
				questions++
			}
		}
		if got := strings.Count(ask(t, text), "\n"); got != questions {
			t.Errorf("%d answers to %d questions", got, questions)
		}
	})
}

// Programs that write NaN are told what JSON has in its place.
func TestNotNumbers(t *testing.T) {
	for _, c := range []struct {
		value string
		said  bool
	}{{"NaN", true}, {"-Infinity", true}, {"nothing", false}} {
		var hint string
		var failed *source.Error
		err := Run(context.Background(), strings.NewReader(`{"id": 1, "params": {"seconds": `+c.value+`}}`), io.Discard, methods, func(err error) any {
			if errors.As(err, &failed) {
				hint = failed.Hint
			}
			return ""
		})
		if err != nil || strings.Contains(hint, "null stands for") != c.said {
			t.Errorf("%s: hint %q (%v)", c.value, hint, err)
		}
	}
}
