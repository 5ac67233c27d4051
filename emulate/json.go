package emulate

import (
	"encoding/json"
	"fmt"
	"strings"

	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/internal/jsonvalue"
)

// resultJSON is the form of results for other programs.
type resultJSON struct {
	Kernel        string             `json:"kernel"`
	At            map[string]int64   `json:"at,omitempty"`
	Device        string             `json:"device,omitempty"`
	Origin        string             `json:"code_from,omitempty"`
	Status        Status             `json:"status"`
	Seconds       *float64           `json:"seconds"`  // null for none
	Interval      [2]*float64        `json:"interval"` // null where there is no evidence of an end
	Reasons       []reasonJSON       `json:"reasons,omitempty"`
	LaunchSeconds float64            `json:"launch_seconds"`
	Cycles        *float64           `json:"cycles"`
	ClockMHz      float64            `json:"clock_mhz"`
	ClockGiven    bool               `json:"clock_given"`
	Instructions  int64              `json:"instructions"`
	Waves         float64            `json:"waves"`
	Occupancy     occupancyJSON      `json:"occupancy"`
	Bottleneck    bottleneckJSON     `json:"bottleneck"`
	Sensitivity   []sensitivityJSON  `json:"sensitivity"`
	Scatter       float64            `json:"sensitivity_scatter"`
	Regions       []regionJSON       `json:"regions,omitempty"`
	Advice        []adviceJSON       `json:"advice,omitempty"`
	Utilization   map[string]float64 `json:"utilization"`
	Memory        memoryJSON         `json:"memory"`
	Hottest       []hotJSON          `json:"hottest"`
	Stalls        map[string]float64 `json:"stalls"`
	Lines         []lineJSON         `json:"lines"`
	Unknown       unknownJSON        `json:"unknown"`
	Warnings      []string           `json:"warnings"`
	Work          workJSON           `json:"work"`
}

type (
	occupancyJSON struct {
		Blocks    int64   `json:"blocks_per_sm"`
		LimitedBy string  `json:"limited_by"`
		Achieved  float64 `json:"achieved"`
	}
	reasonJSON struct {
		Status  Status `json:"status"`
		Address string `json:"address,omitempty"`
		Source  string `json:"source,omitempty"`
		Text    string `json:"text"`
	}
	bottleneckJSON struct {
		Resource string `json:"resource"`
		Kind     Kind   `json:"kind"`
	}
	sensitivityJSON struct {
		Parameter string  `json:"parameter"`
		Value     float64 `json:"value"`
	}
	regionJSON struct {
		Kind        string            `json:"kind"`
		From        string            `json:"from"`
		To          string            `json:"to"`
		Source      string            `json:"source,omitempty"`
		Part        float64           `json:"part"`
		Sensitivity []sensitivityJSON `json:"sensitivity"`
		Inside      []regionJSON      `json:"inside,omitempty"`
	}
	adviceJSON struct {
		Rule      string  `json:"rule"`
		Array     string  `json:"array,omitempty"`
		Line      int     `json:"line,omitempty"`
		Text      string  `json:"text"`
		Gain      float64 `json:"gain,omitempty"`
		Confirmed bool    `json:"confirmed"`
		Model     string  `json:"model,omitempty"` // that says the gain; emulation where it is missing
	}
	memoryJSON struct {
		L1Hit     float64 `json:"l1_hit"`
		L2Hit     float64 `json:"l2_hit"`
		DRAMBytes float64 `json:"dram_bytes"`
		Requests  float64 `json:"requests"`
		Sectors   float64 `json:"sectors"`
		L2Sectors float64 `json:"l2_sectors"`
	}
	hotJSON struct {
		Address string  `json:"address"`
		Source  string  `json:"source,omitempty"`
		Text    string  `json:"text"`
		Part    float64 `json:"part"`
		Reason  string  `json:"reason"`
	}
	lineJSON struct {
		Place        string  `json:"place"`
		Part         float64 `json:"part"`
		Instructions float64 `json:"instructions"`
		Reason       string  `json:"reason"`
	}
	unknownJSON struct {
		Branches []doubtJSON `json:"branches"`
		Loops    []doubtJSON `json:"loops"`
		Accesses []doubtJSON `json:"accesses"`
	}
	doubtJSON struct {
		Address string `json:"address"`
		Source  string `json:"source,omitempty"`
		Text    string `json:"text"`
		What    string `json:"what"`
		Assume  string `json:"assume,omitempty"`
		Times   int    `json:"times"`
	}
	workJSON struct {
		Blocks   int   `json:"blocks"`
		Executed int   `json:"executed"`
		Timed    int64 `json:"timed"`
		Stands   int64 `json:"stands_for"`
	}
)

// MarshalJSON writes the result as other programs read it.
func (r *Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{
		Kernel: r.Kernel, At: r.At, Device: r.Device, Origin: r.Origin, Status: r.Status, Seconds: jsonvalue.Finite(r.Seconds), Interval: Ends(r.Interval), LaunchSeconds: r.Launch, Cycles: jsonvalue.Finite(r.Cycles), ClockMHz: r.ClockMHz, ClockGiven: r.ClockGiven, Instructions: r.Effort.Stands,
		Waves: r.Waves, Occupancy: occupancyJSON{r.Blocks, r.LimitedBy, r.Occupancy}, Utilization: map[string]float64{},
		Memory: memoryJSON{r.Memory.L1Hit, r.Memory.L2Hit, r.Work.GlobalBytes, r.Memory.Requests, r.Memory.Sectors, r.Memory.L2Sectors}, Warnings: append([]string{}, r.Warnings...),
		Unknown: unknownJSON{[]doubtJSON{}, []doubtJSON{}, []doubtJSON{}}, Hottest: []hotJSON{}, Lines: []lineJSON{}, Stalls: map[string]float64{},
		Work: workJSON{r.Effort.Blocks, r.Effort.Steps, r.Effort.Issued, r.Effort.Stands},
	}
	for _, why := range r.Reasons {
		one := reasonJSON{Status: why.Status, Text: why.Text}
		if why.Index >= 0 {
			one.Address, one.Source = r.address(why.Index), r.place(why.Index)
		}
		out.Reasons = append(out.Reasons, one)
	}
	if r.Bottleneck.Kind != "" {
		out.Bottleneck = bottleneckJSON{r.Bottleneck.Unit.String(), r.Bottleneck.Kind}
	}
	out.Sensitivity, out.Scatter, out.Regions = sensitivities(r.Sensitivity), r.Scatter, regionsJSON(r.Regions)
	for _, a := range r.Advice {
		out.Advice = append(out.Advice, adviceJSON{a.Rule, a.Array, a.Line, a.Text, a.Gain, a.Confirmed, a.Model})
	}
	for u, part := range r.Utilization {
		out.Utilization[key.Replace(u.String())] = part
	}
	for reason, part := range r.Stalls {
		out.Stalls[key.Replace(timing.Reason(reason).String())] = part
	}
	for _, l := range r.Lines {
		out.Lines = append(out.Lines, lineJSON{l.Place, l.Part, l.Instructions, l.Reason.String()})
	}
	for _, h := range r.Hottest {
		out.Hottest = append(out.Hottest, hotJSON{r.address(h.Index), r.place(h.Index), r.function.Instructions[h.Index].String(), h.Part, h.Reason.String()})
	}
	for _, d := range r.Doubts {
		list := out.Unknown.of(d.Kind)
		*list = append(*list, doubtJSON{r.address(d.Index), r.place(d.Index), r.text(d.Index), string(d.Kind), r.Say(d), d.Times})
	}
	return json.Marshal(out)
}

// Ends are the ends of an interval as JSON has them: null where it has none.
func Ends(in [2]float64) [2]*float64 {
	if in[0] == 0 { // of what is supposed nothing is known
		return [2]*float64{}
	}
	return [2]*float64{jsonvalue.Finite(in[0]), jsonvalue.Finite(in[1])}
}

// of is the list that a doubt belongs to.
func (u *unknownJSON) of(k exec.Kind) *[]doubtJSON {
	switch k {
	case exec.UnknownTrips:
		return &u.Loops
	case exec.UnknownAddress, exec.UnknownOpcode, exec.UnknownCall, exec.Sleeps:
		return &u.Accesses
	}
	return &u.Branches
}

func (r *Result) address(i int) string {
	if i >= len(r.function.Instructions) {
		return ""
	}
	return fmt.Sprintf("0x%x", r.function.Instructions[i].Address)
}

func (r *Result) text(i int) string {
	if i >= len(r.function.Instructions) {
		return ""
	}
	return r.function.Instructions[i].String()
}

// place is the source line of an instruction, "" where it is not known.
func (r *Result) place(i int) string {
	if i >= len(r.function.Instructions) || r.function.Instructions[i].Source.Line == 0 {
		return ""
	}
	s := r.function.Instructions[i].Source
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

func sensitivities(list []Sensitivity) []sensitivityJSON {
	out := []sensitivityJSON{}
	for _, s := range list {
		out = append(out, sensitivityJSON{s.Name(), s.Value})
	}
	return out
}

func regionsJSON(list []*Region) (out []regionJSON) {
	for _, g := range list {
		out = append(out, regionJSON{
			g.Kind, fmt.Sprintf("0x%x", g.From), fmt.Sprintf("0x%x", g.To), g.Source, g.Part, sensitivities(g.Sensitivity), regionsJSON(g.Inside),
		})
	}
	return out
}

// Places are the source lines of some instructions, the first and the last; their addresses where they are not known.
func (r *Result) Places(in []bool) string {
	g := &Region{in: in}
	r.emulation.describe(g, make([]float64, len(in)))
	if g.Source == "" {
		g.Source = fmt.Sprintf("0x%x-0x%x", g.From, g.To)
	}
	return g.Source
}

// key makes names keys of JSON.
var key = strings.NewReplacer(" ", "_", "/", "_", "-", "_")
