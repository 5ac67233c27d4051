package explain

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/remedy"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/launch"
	"gpuperf/models"
)

// Line is what takes time in a line: accesses to an array.
type Line struct {
	File    string   `json:"file,omitempty"`
	Line    int      `json:"line,omitempty"` // 0 where it is not known
	Action  string   `json:"action"`         // load, store, update
	Array   string   `json:"array"`
	Space   string   `json:"space"`
	Strides [3]int64 `json:"strides"` // bytes between neighbours along the axes of a work-group
	Data    bool     `json:"data"`    // the index is read from memory, and has no strides
	Share   float64  `json:"share"`   // of the time that goes with it
}

// Remedy is a defect, and what removes it.
type Remedy struct {
	Kind    string  `json:"kind"`
	File    string  `json:"file,omitempty"`
	Line    int     `json:"line,omitempty"` // 0 where it is not known
	Array   string  `json:"array,omitempty"`
	Share   float64 `json:"share,omitempty"` // of the time that goes with the array in the line
	Defect  string  `json:"defect"`
	Remedy  string  `json:"remedy"`
	Gain    float64 `json:"gain"`             // the predicted time by that with the remedy
	Seconds float64 `json:"seconds"`          // predicted, with the remedy
	Beyond  float64 `json:"beyond,omitempty"` // the time without the remedy, where the model has no cost for the defect
	Text    string  `json:"text"`             // all that as sentences
	// Cured is the kernel with the remedy, where the remedy is of the kernel alone.
	Cured    *kernel.Kernel `json:"-"`
	Emulated float64        `json:"emulated,omitempty"` // the gain by emulation of that kernel; Gain is then between this and that of the model
}

// pricer prices what a launch would be, by the model.
type pricer struct {
	*explainer
	ids     []string // of the features
	program *launch.Program
	params  map[string]float64
	parts   []models.Part
	model   *models.Compiled
	values  []float64 // of the parameters of model
}

// pricer is nil where the features of the model are not all those of launches, which alone follow an edit.
func (e *explainer) pricer() (*pricer, error) {
	if slices.ContainsFunc(e.ids, func(id features.ID) bool { return id.Class != features.StaticClass }) {
		return nil, nil
	}
	p := &pricer{explainer: e, params: map[string]float64{}}
	for _, id := range e.ids {
		p.ids = append(p.ids, id.String())
	}
	var err error
	if p.program, err = e.Case.Static(launch.Options{SubgroupSize: e.Lanes, Device: e.Facts, Compiled: true, Values: true}); err != nil {
		return nil, err
	}
	for _, x := range e.Fit.Parameters {
		p.params[x.Name] = x.Value
	}
	if p.model, err = e.Model.Compile(); err != nil {
		return nil, err
	}
	p.values, _ = e.Fit.Values(p.model.Parameters)
	p.parts, _ = e.Model.Split(e.values, p.params)
	return p, nil
}

// count returns the features of a launch.
func (p *pricer) count(of *launch.Program) (map[string]float64, error) {
	list, err := of.Totals(p.Case.Sizes, p.ids)
	if err != nil {
		return nil, err
	}
	values := map[string]float64{}
	for i, v := range list {
		values[p.ids[i]] = v
	}
	return values, nil
}

func (p *pricer) seconds(of *launch.Program) (float64, error) {
	values, err := p.count(of)
	if err != nil {
		return 0, err
	}
	x := lists.Map(p.model.Features, func(name string) float64 { return values[name] })
	return p.model.Eval(x, p.values), nil
}

// share is the part of the time that goes with what a launch does not do: of each cost the part by which its work is less.
func (p *pricer) share(without *launch.Program) (sum float64, err error) {
	values, err := p.count(without)
	if err != nil {
		return 0, err
	}
	rest, _ := p.Model.Split(values, p.params)
	left := map[[3]string]float64{}
	for _, x := range rest {
		left[[3]string{x.Term, x.Parameter, x.Work}] = x.Alone
	}
	total := 0.0
	for _, x := range p.parts {
		total += x.Within
		if x.Alone > 0 {
			sum += x.Within * max(1-left[[3]string{x.Term, x.Parameter, x.Work}]/x.Alone, 0)
		}
	}
	if total == 0 {
		return 0, nil
	}
	return sum / total, nil
}

// remedies finds the lines that take time, and what is the matter with them.
func (e *explainer) remedies(out *Explanation) (err error) {
	defer throw.Catch(&err)
	p, err := e.pricer()
	if err != nil || p == nil {
		return err
	}
	e.priced = true
	nest := throw.Get(e.Case.Nest())
	launching := 0.0
	for _, c := range out.Costs {
		if len(c.ids) == 1 && c.ids[0].Op == "launches" {
			launching += c.Seconds
		}
	}
	found := throw.Get(remedy.Find(&remedy.Subject{
		Program: p.program, Kernel: nest.Kernel, Sizes: e.Case.Sizes, Device: e.Facts, Seconds: p.seconds, Share: p.share, Launch: launching,
	}))
	for _, r := range found.Rows {
		l := Line{File: file(r.At), Line: r.At.Line, Action: remedy.Verb(r.Site), Array: r.Array, Space: string(r.Space), Strides: r.Strides, Data: r.Data, Share: r.Share}
		known := func(o Line) bool {
			return o.File == l.File && o.Line == l.Line && o.Array == l.Array && o.Action == l.Action
		}
		if r.Atomic && slices.ContainsFunc(out.Lines, known) {
			continue // an update is a load and a store, which go together
		}
		out.Lines = append(out.Lines, l)
	}
	scale := (out.Predicted - e.Prediction.Lacking) / found.Seconds // the prediction may have been raised to a roof
	for _, a := range found.Advice {
		r := Remedy{
			Kind: a.Rule, File: file(a.At), Line: a.At.Line, Array: a.Array, Share: a.Share, Defect: a.Defect, Remedy: a.Remedy, Gain: a.Gain,
			Seconds: scale * a.Seconds, Cured: a.Cured,
		}
		if base := scale * a.Base; base > out.Predicted*remedy.Worth {
			r.Beyond = base
		}
		r.Text = r.text()
		out.Remedies = append(out.Remedies, r)
	}
	return nil
}

func file(p kernel.Place) string {
	if p.File == "" {
		return ""
	}
	return filepath.Base(p.File)
}

// place is where something stands, "" where nobody knows it.
func place(file string, line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// text is the remedy as sentences.
func (r *Remedy) text() string {
	beyond := ""
	if r.Beyond > 0 {
		beyond = fmt.Sprintf(", which the predicted time lacks: it is rather about %s", format.Rough(r.Beyond, "s"))
	}
	return r.sentences(beyond, "Predicted with it", r.Seconds)
}

// Refine says how much faster the cured kernel is by emulation. The gain is then between what that and the model say, which err in other ways.
func (r *Remedy) Refine(emulated float64) {
	r.Emulated = emulated
	mean := math.Sqrt(r.Gain * emulated)
	r.Seconds *= r.Gain / mean
	r.Gain = mean
	r.Text = r.text()
}

// Of is the remedy as sentences about a launch that is emulated, and takes so many seconds.
func (r *Remedy) Of(seconds float64, model string) string {
	by := "With it, by the model " + model
	if r.Emulated > 0 {
		by = "Emulated with it"
	}
	return r.sentences("", by, seconds/r.Gain)
}

// apart is from when on two gains are said to be apart.
const apart = 1.25

// outcome says how long a launch takes with the remedy, and how much faster that is; where emulation and the model are apart, by both.
func (r *Remedy) outcome(by string, seconds float64) string {
	if r.Emulated > 0 {
		if model := r.Gain * r.Gain / r.Emulated; max(model, r.Emulated) > apart*min(model, r.Emulated) {
			return fmt.Sprintf("Emulated with it %s× as fast, by the model %s×: about %s", format.Factor(r.Emulated), format.Factor(model), format.Seconds(seconds))
		}
	}
	return fmt.Sprintf("%s: %s, %s× as fast", by, format.Seconds(seconds), format.Factor(r.Gain))
}

func (r *Remedy) sentences(beyond, by string, seconds float64) string {
	where := lists.Where([]string{r.Array, place(r.File, r.Line)}, func(text string) bool { return text != "" })
	share := ""
	if r.Share >= worthwhile {
		share = fmt.Sprintf(" (%.0f %% of the time)", 100*r.Share)
	}
	return fmt.Sprintf("%s%s: %s%s. Remedy: %s. %s", strings.Join(where, ", "), share, r.Defect, beyond, r.Remedy, r.outcome(by, seconds))
}

// changes are remedies and advice as sentences.
func (e *Explanation) changes() (list []string) {
	for i := range e.Remedies {
		list = append(list, e.Remedies[i].Text)
	}
	return append(list, e.Advice...)
}
