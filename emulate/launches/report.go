package launches

import (
	"encoding/json"

	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/lists"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// Report is what emulation tells of a sequence on a device.
type Report struct {
	Name     string
	Of       samples.Identity // the file and the sizes
	Device   string
	Code     string // the file with the machine code, where several are emulated
	Origin   string // of the machine code: one of Origins; "" is Binary
	Launches []Launch
	Warnings []string

	file   string   // that the lines of the code are in
	source []string // its lines; nil where they are not known
}

// Launch is a launch, and how often the sequence has it.
type Launch struct {
	Times int
	*emulate.Result
}

// Elsewhere warns of times of another device than the emulated one; "" where there is nothing to warn of.
func (r *Report) Elsewhere(on samples.Fingerprint) string {
	if d, err := facts.Sheet(on.Name); err == nil && d.Name() == r.Device || on.Name == r.Device {
		return ""
	}
	return warning.OtherDevice.About("", "the predictions are for %s, but the times are from %s", r.Device, on)
}

// Status is what kind of a time that of all launches is.
func (r *Report) Status() (s emulate.Status) {
	s = emulate.Whole
	for _, l := range r.Launches {
		s = s.Worse(l.Status)
	}
	return s
}

// Text is the time of all launches.
func (r *Report) Text() string { return r.Status().Text(r.Seconds()) }

// Seconds is the time of all launches: a lower bound, or infinite, as Status says.
func (r *Report) Seconds() (sum float64) {
	return lists.Sum(r.Launches, func(l Launch) float64 { return float64(l.Times) * l.Result.Seconds })
}

// Interval is what the time is taken to be in.
func (r *Report) Interval() (all [2]float64) {
	for _, l := range r.Launches {
		for i := range all {
			all[i] += float64(l.Times) * l.Result.Interval[i]
		}
	}
	return all
}

// All are the warnings of the sequence and its launches.
func (r *Report) All() []string {
	all := r.Warnings
	for _, l := range r.Launches {
		all = append(all, l.Result.Warnings...)
		if !r.One() {
			for _, why := range l.Why() {
				all = append(all, l.Kernel+": "+why)
			}
		}
	}
	return all
}

// One reports whether the sequence is a single launch.
func (r *Report) One() bool { return len(r.Launches) == 1 && r.Launches[0].Times == 1 }

// MarshalJSON writes the only launch, or the sequence with its launches.
func (r *Report) MarshalJSON() ([]byte, error) {
	if r.One() {
		return json.Marshal(r.Launches[0].Result)
	}
	type launch struct {
		Times int             `json:"times"`
		Each  *emulate.Result `json:"each"`
	}
	list := lists.Map(r.Launches, func(l Launch) launch { return launch{l.Times, l.Result} })
	return json.Marshal(struct {
		Name     string         `json:"kernel"`
		Device   string         `json:"device"`
		Origin   string         `json:"code_from,omitempty"`
		Status   emulate.Status `json:"status"`
		Seconds  *float64       `json:"seconds"`
		Interval [2]*float64    `json:"interval"`
		Launches []launch       `json:"launches"`
	}{r.Name, r.Device, r.Origin, r.Status(), jsonvalue.Finite(r.Seconds()), emulate.Ends(r.Interval()), list})
}

// After is the report of the same launch after others: see emulate.Result.
func (r *Report) After(others emulate.Others, binds bool) *Report {
	again := *r
	again.Launches = []Launch{{1, r.Launches[0].After(others, binds)}}
	return &again
}

// Longest are the launches that take longest, one of each report.
func Longest(all []*Report) (list []*emulate.Result) {
	return lists.Map(all, func(r *Report) *emulate.Result { return r.Longest().Result })
}
