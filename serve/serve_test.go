package serve

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
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
		`{"id": 1, "method": "echo", "params": {"text": "<a>"}}`: `{"id":1,"result":"<a>"}`,
		`{"id": "x", "method": "fail"}`:                          `{"id":"x","error":"no"}`,
		`{"id": 2, "method": "infinite"}`:                        `{"id":2,"error":"json: unsupported value: +Inf"}`,
		`{"id": 3, "method": "echo", "params": {"text": []}}`:    `{"id":3,"error":"params: Text: array stands where a string should stand"}`,
		`{"id": 3, "method": "echo", "params": {"txt": 1}}`:      `{"id":3,"error":"params: unknown field \"txt\""}`,
		`{"method": "echo"}`:                                     `{"id":null,"error":"the question has no id"}`,
		` `:                                                      ``,
	} {
		if got := strings.TrimSuffix(ask(t, question+"\n"), "\n"); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
	if got := ask(t, `{"id": 1, "method": "fail"}`+"\n\n"+`{"id": 2, "method": "fail"}`); strings.Count(got, "\n") != 2 {
		t.Errorf("two questions: %s", got)
	}
}

func FuzzRun(f *testing.F) {
	f.Add(`{"id": 1, "method": "echo", "params": {"text": "a"}}`)
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
