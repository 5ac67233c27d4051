package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/search"
	"gpuperf/search/params"
)

// Dialogues are searches of which another program runs the configurations, by name: it asks for configurations and tells how they did. They are not safe for
// concurrent use.
type Dialogues struct {
	Files      frontend.Options
	Predictors func(profile, model string) (*campaign.Predictor, error) // models that order the configurations of files

	open map[string]*dialogue
}

// dialogue is one of them.
type dialogue struct {
	*search.Dialogue
	space search.Space
	model search.Model // nil is none
	asked string       // what it was begun with
	plain map[string]json.RawMessage
}

// Definition says what is searched: the choices of a file that perf tune takes, or parameters with their values.
type Definition struct {
	Kernel      string           `json:"kernel,omitempty"`
	Sizes       map[string]int64 `json:"sizes,omitempty"`
	Parameters  Parameters       `json:"parameters,omitempty"`
	Constraints []string         `json:"constraints,omitempty"`
	Strategy    string           `json:"strategy,omitempty"` // "" is ants
	Seed        uint64           `json:"seed,omitempty"`
	Profile     string           `json:"profile,omitempty"` // of the model that orders the configurations of a file; "" is none
	Model       string           `json:"model,omitempty"`
}

// Parameters are names with their values, as they were given, in an object of lists: {"bm": [16, 32]}.
type Parameters jsonvalue.Object[[]json.RawMessage]

// MarshalJSON writes the object.
func (p Parameters) MarshalJSON() ([]byte, error) {
	return jsonvalue.Object[[]json.RawMessage](p).MarshalJSON()
}

// UnmarshalJSON reads the object.
func (p *Parameters) UnmarshalJSON(text []byte) error {
	if err := (*jsonvalue.Object[[]json.RawMessage])(p).UnmarshalJSON(text); err != nil {
		return fmt.Errorf("parameters is an object of lists, as in {\"bm\": [16, 32]}: %w", err)
	}
	return nil
}

// Named is a search: its name, where "" is one too, and in the first question its definition.
type Named struct {
	Search string `json:"search,omitempty"`
	Definition
}

// Asking asks a search for configurations.
type Asking struct {
	Named
	Count int `json:"count,omitempty"` // at most; 0 is 1
}

// Asked are configurations to run, none where the strategy has nothing new.
type Asked struct {
	Search         string     `json:"search"`
	Configurations []Proposal `json:"configurations"`
}

// Proposal is a configuration to run.
type Proposal struct {
	Configuration json.RawMessage `json:"configuration"`
	Predicted     float64         `json:"predicted_seconds,omitempty"`
}

// Telling tells a search how configurations did.
type Telling struct {
	Named
	Results []struct {
		Configuration map[string]json.RawMessage `json:"configuration"`
		Seconds       *float64                   `json:"seconds"` // null, or 0, where it did not run or its result was wrong
		Metrics       map[string]float64         `json:"metrics,omitempty"`
	} `json:"results"`
}

// Told is how far a search has come.
type Told struct {
	Search string `json:"search"`
	Told   int    `json:"told"`
	Best   *struct {
		Configuration json.RawMessage `json:"configuration"`
		Seconds       float64         `json:"seconds"`
	} `json:"best"` // null where nothing ran
}

// maxAsked bounds the configurations of one answer.
const maxAsked = 10_000

// Ask proposes configurations that were not proposed before.
func (d *Dialogues) Ask(ctx context.Context, q Asking) (*Asked, error) {
	one, err := d.begun(ctx, q.Named)
	if err != nil {
		return nil, err
	}
	if q.Count < 0 || q.Count > maxAsked {
		return nil, wrong("count is %d: expected 1 to %d", q.Count, maxAsked)
	}
	out := &Asked{Search: q.Search, Configurations: []Proposal{}}
	for len(out.Configurations) < max(q.Count, 1) {
		c := one.Ask()
		if c == nil {
			break
		}
		p := Proposal{Configuration: one.json(c)}
		if one.model != nil {
			p.Predicted = one.model(c)
		}
		out.Configurations = append(out.Configurations, p)
	}
	return out, nil
}

// begun is the search of a name. Where there is one, the question says nothing else, or the same.
func (d *Dialogues) begun(ctx context.Context, q Named) (_ *dialogue, err error) {
	defer throw.Catch(&err)
	text := throw.Get(json.Marshal(q.Definition))
	one := d.open[q.Search]
	switch asked := string(text); {
	case one != nil && (asked == "{}" || asked == one.asked):
		return one, nil
	case one != nil:
		return nil, wrong("the search %q was begun with other parameters", q.Search).WithHint("give another name: \"search\"")
	case asked == "{}":
		return nil, wrong("there is no search %q", q.Search).
			WithHint("%s", `the first question says what is searched: {"parameters": {"bm": [16, 32], "tm": [1, 2]}, "constraints": ["tm <= bm"]} or {"kernel": "FILE"}`)
	}
	one = throw.Get(d.begin(ctx, q.Definition))
	if one.asked = string(text); d.open == nil {
		d.open = map[string]*dialogue{}
	}
	d.open[q.Search] = one
	return one, nil
}

func wrong(format string, args ...any) *source.Error {
	return source.At("", "", source.Pos{}, format, args...)
}

// begin begins a search.
func (d *Dialogues) begin(ctx context.Context, q Definition) (one *dialogue, err error) {
	one = &dialogue{plain: map[string]json.RawMessage{}}
	var first search.Config
	switch {
	case q.Kernel != "" && (q.Parameters != nil || q.Constraints != nil):
		return nil, wrong("give a kernel, whose file says what may be chosen, or parameters, not both")
	case q.Kernel != "":
		t, err := Open(ctx, q.Kernel, q.Sizes, Options{Files: d.Files})
		if err != nil {
			return nil, err
		}
		if one.space, first = t.Space(), t.Usual(); q.Profile != "" {
			p, err := d.Predictors(q.Profile, q.Model)
			if err != nil {
				return nil, err
			}
			s := Search{Target: t, Predictor: p}
			one.model = func(c search.Config) float64 { return s.predict(ctx, c) }
		}
	default:
		if one.space, err = one.product(q); err != nil {
			return nil, err
		}
		first = search.Usual(one.space)
	}
	strategy := q.Strategy
	if strategy == "" {
		strategy = "ants"
	}
	s, err := search.New(strategy, one.space, one.model, q.Seed)
	if err != nil {
		return nil, wrong("%v", err)
	}
	one.Dialogue = search.NewDialogue(s, search.Limits{First: []search.Config{first}, Space: one.space})
	return one, nil
}

// product is the space of parameters and constraints.
func (one *dialogue) product(q Definition) (search.Space, error) {
	var all search.Product
	var names, numbers []string // numbers are the names of parameters with integers, or truths
	for _, v := range q.Parameters {
		if v.Name == "" || slices.Contains(names, v.Name) || len(v.Value) == 0 || strings.ContainsAny(v.Name, "=,") {
			return nil, wrong("parameter %q: each has a name of its own, without = and comma, and at least one value", v.Name)
		}
		c := search.Choice{Name: v.Name}
		for _, raw := range v.Value {
			option := optionOf(raw)
			if option == "" || slices.Contains(c.Options, option) || strings.Contains(option, ",") {
				return nil, wrong("parameter %s: value %s: values are numbers, truths or texts without comma, each once", v.Name, raw)
			}
			c.Options = append(c.Options, option)
			one.plain[v.Name+"="+option] = raw
		}
		if !slices.ContainsFunc(c.Options, func(o string) bool { return len(integers(search.Config{{Choice: v.Name, Option: o}})) == 0 }) {
			numbers = append(numbers, v.Name)
		}
		all, names = append(all, c), append(names, v.Name)
	}
	if len(all) == 0 {
		return nil, wrong("a search needs a kernel or parameters")
	}
	var conditions params.List
	for _, text := range q.Constraints {
		c, err := params.ParseCondition(text, numbers)
		if err != nil {
			return nil, wrong("constraint %q: %s; constraints are on parameters whose values are integers", text, source.Message(err))
		}
		conditions = append(conditions, c)
	}
	space := search.Prune(all, func(made search.Config) bool { return conditions.Hold(integers(made)) })
	if space == nil {
		return nil, wrong("no values meet the constraints")
	}
	return space, nil
}

// integers are the choices of a configuration that are integers; a truth is 1 or 0.
func integers(c search.Config) map[string]int64 {
	at := map[string]int64{}
	for _, p := range c {
		if n, err := strconv.ParseInt(p.Option, 10, 64); err == nil {
			at[p.Choice] = n
		} else if b, err := strconv.ParseBool(p.Option); err == nil {
			at[p.Choice] = map[bool]int64{true: 1}[b]
		}
	}
	return at
}

// optionOf is a value as an option; "" of lists, objects and null.
func optionOf(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// json is a configuration as an object, with values as they were given; those of files are numbers where they can be.
func (one *dialogue) json(c search.Config) json.RawMessage {
	var b bytes.Buffer
	for i, p := range c {
		name, _ := json.Marshal(p.Choice)
		value := one.plain[p.Choice+"="+p.Option]
		if _, err := strconv.ParseInt(p.Option, 10, 64); value == nil && err == nil {
			value = json.RawMessage(p.Option)
		} else if value == nil {
			value, _ = json.Marshal(p.Option)
		}
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.Write(append(append(name, ':'), value...))
	}
	return append(b.Bytes(), '}')
}

// Tell takes results, of configurations that were asked for and of others.
func (d *Dialogues) Tell(ctx context.Context, t Telling) (*Told, error) {
	one, err := d.begun(ctx, t.Named)
	if err != nil {
		return nil, err
	}
	var trials []search.Trial
	for _, r := range t.Results {
		var like search.Config
		for name, raw := range r.Configuration {
			like = append(like, search.Pick{Choice: name, Option: optionOf(raw)})
		}
		slices.SortFunc(like, func(a, b search.Pick) int { return strings.Compare(a.Choice, b.Choice) })
		c, err := search.Path(one.space, like)
		if err != nil {
			return nil, wrong("%v", err)
		}
		trial := search.Trial{Config: c, Result: search.Result{Metrics: r.Metrics}}
		if s := r.Seconds; s != nil {
			if !(*s > 0) || math.IsInf(*s, 0) {
				return nil, wrong("%s: %g seconds are no time; null stands for what did not run", c, *s)
			}
			trial.Result.Seconds = *s
		}
		trials = append(trials, trial)
	}
	for _, trial := range trials { // all, or none where one is wrong
		one.Tell(trial)
	}
	out := &Told{Search: t.Search, Told: one.Told()}
	if best := one.Best(); best.Result.Valid() {
		out.Best = &struct {
			Configuration json.RawMessage `json:"configuration"`
			Seconds       float64         `json:"seconds"`
		}{one.json(best.Config), best.Result.Seconds}
	}
	return out, nil
}
