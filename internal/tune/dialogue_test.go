package tune

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gpuperf/internal/source"
)

const tiles = `"parameters": {"bm": [16, 32, 64], "tm": [1, 2, 4], "layout": ["row", "column"], "pad": [false, true]}, "constraints": ["tm * 16 <= bm", "pad <= tm"]`

func ask(t *testing.T, d *Dialogues, text string) (*Asked, error) {
	t.Helper()
	var q Asking
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		return nil, err
	}
	return d.Ask(context.Background(), q)
}

func tell(d *Dialogues, text string) (*Told, error) {
	var q Telling
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		return nil, err
	}
	return d.Tell(context.Background(), q)
}

// TestDialogues: a search by questions finds the best of a small space, keeps to the constraints, and gives values as they were given.
func TestDialogues(t *testing.T) {
	d := new(Dialogues)
	asked, err := ask(t, d, `{`+tiles+`, "strategy": "greedy"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(asked.Configurations[0].Configuration); got != `{"bm":16,"tm":1,"layout":"row","pad":false}` {
		t.Errorf("the first values come first, not %s", got)
	}
	var told *Told
	runs := 0
	for ; len(asked.Configurations) > 0; runs++ {
		var c struct {
			BM, TM float64
			Layout string
			Pad    bool
		}
		text := asked.Configurations[0].Configuration
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		if c.TM*16 > c.BM {
			t.Errorf("%s violates a constraint", text)
		}
		cost := math.Abs(c.BM-32) + math.Abs(c.TM-2) + float64(len(c.Layout)) + map[bool]float64{true: 1}[c.Pad]
		seconds, _ := json.Marshal(map[bool]any{true: nil, false: cost}[c.BM == 64]) // which does not run
		if told, err = tell(d, `{"results": [{"configuration": `+string(text)+`, "seconds": `+string(seconds)+`}]}`); err != nil {
			t.Fatal(err)
		}
		if asked, err = ask(t, d, `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if runs != 24 || told.Told != 24 || string(told.Best.Configuration) != `{"bm":32,"tm":2,"layout":"row","pad":false}` || told.Best.Seconds != 3 {
		t.Errorf("%d runs, best %s: %v", runs, told.Best.Configuration, told.Best.Seconds)
	}
}

// TestDialogueOfFile: the choices of a file are searched as perf tune searches them, and a question that begins the same search again goes on with it.
func TestDialogueOfFile(t *testing.T) {
	d := new(Dialogues)
	seen := map[string]bool{}
	for range 3 {
		asked, err := ask(t, d, `{"kernel": "../../examples/tune/product.yaml", "strategy": "random", "count": 2}`)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range asked.Configurations {
			seen[string(p.Configuration)] = true
		}
	}
	if len(seen) != 6 || !seen[`{"tile":16,"rows":1}`] {
		t.Errorf("asked for six, and got %v", seen)
	}
}

// TestDialogueErrors: what is wrong with a question is said.
func TestDialogueErrors(t *testing.T) {
	for question, want := range map[string]string{
		`{}`:                                                     `there is no search ""`,
		`{"strategy": "ants"}`:                                   "a search needs a kernel or parameters",
		`{"parameters": {"a": []}}`:                              "at least one value",
		`{"parameters": {"a": [1], "a": [2]}}`:                   "a name of its own",
		`{"parameters": {"a": [1, 1]}}`:                          "value 1: values are numbers, truths or texts without comma, each once",
		`{"parameters": {"a": [null]}}`:                          "value null",
		`{"parameters": [1]}`:                                    "parameters is an object of lists",
		`{"parameters": {"a": 1}}`:                               `[16, 32]}: a: json: cannot unmarshal number`,
		`{"parameters": {"a": [1]}, "count": -1}`:                "count is -1",
		`{"parameters": {"a": [1]}, "constraints": ["b < 1"]}`:   `constraint "b < 1": there is no parameter b`,
		`{"parameters": {"a": ["x"]}, "constraints": ["a < 1"]}`: "constraints are on parameters whose values are integers",
		`{"parameters": {"a": [1]}, "constraints": ["a < 1"]}`:   "no values meet the constraints",
		`{"parameters": {"a": [1]}, "kernel": "k.star"}`:         "not both",
		`{"parameters": {"a": [1]}, "strategy": "x"}`:            `unknown strategy "x"`,
		`{"search": "open", "parameters": {"b": [1]}}`:           `the search "open" was begun with other parameters`,
	} {
		d := new(Dialogues)
		if _, err := ask(t, d, `{"search": "open", "parameters": {"a": [1, 2]}}`); err != nil {
			t.Fatal(err)
		}
		if _, err := ask(t, d, question); err == nil || !strings.Contains(source.Message(err), want) {
			t.Errorf("%s: %v, want %s", question, err, want)
		}
	}
	d := new(Dialogues)
	if _, err := ask(t, d, `{`+tiles+`}`); err != nil {
		t.Fatal(err)
	}
	for results, want := range map[string]string{
		`{"configuration": {"bm": 16}, "seconds": 1}`:                                                 "lacks a choice of tm",
		`{"configuration": {"bm": 16, "tm": 4, "layout": "row", "pad": false}, "seconds": 1}`:         "after bm=16 there are 1",
		`{"configuration": {"bm": 16, "tm": 1, "layout": "row", "pad": false, "x": 1}, "seconds": 1}`: "there is no choice of x",
		`{"configuration": {"bm": 16, "tm": 1, "layout": "row", "pad": false}, "seconds": -1}`:        "-1 seconds are no time",
		`{"configuration": {"bm": 16, "tm": 1, "layout": "row", "pad": false}, "seconds": 0}`:         "0 seconds are no time; null",
		`{"configuration": {"bm": [16], "tm": 1, "layout": "row", "pad": false}, "seconds": 1}`:       "lacks a choice of bm",
	} {
		if _, err := tell(d, `{"results": [`+results+`]}`); err == nil || !strings.Contains(source.Message(err), want) {
			t.Errorf("%s: %v, want %s", results, err, want)
		}
	}
	if _, err := tell(d, `{"search": "none"}`); err == nil {
		t.Error("a search that nobody began is told")
	}
}

func FuzzDialogues(f *testing.F) {
	f.Add(`{` + tiles + `}`)
	f.Add(`{"parameters": {"a": [1.5, "x", true]}, "strategy": "evolution", "count": 3}`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "kernel") || len(text) > 500 { // of files there are other tests
			t.Skip()
		}
		d := new(Dialogues)
		asked, err := ask(t, d, text)
		if err != nil {
			return
		}
		for _, p := range asked.Configurations {
			name, _ := json.Marshal(asked.Search)
			if _, err := tell(d, `{"search": `+string(name)+`, "results": [{"configuration": `+string(p.Configuration)+`, "seconds": 1}]}`); err != nil {
				t.Errorf("%s is not taken: %v", p.Configuration, err)
			}
		}
	})
}
