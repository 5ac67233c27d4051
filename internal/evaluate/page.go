package evaluate

import (
	"cmp"
	_ "embed" // for the template
	"fmt"
	"html/template"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/internal/chart"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/replace"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Page is a self-contained web page of an evaluation, with what a reader needs to judge it.
type Page struct {
	Report      *Report
	SuiteFiles  []string
	Device      samples.Fingerprint
	Facts       *facts.Device // of it
	Models      []Model
	Profile     string           // where the models come from, "" when they were calibrated for the evaluation
	SamplesFile string           // where the times come from
	SamplesHash string           // SHA-256 of that file, in hex; "" where it could not be read
	Records     []samples.Record // what was measured of the evaluated kernels
	Other       *Link            // the page of the same evaluation with the other state of the caches; nil where there is none
}

// Link leads to another page.
type Link struct{ Text, File string }

// LinkTo links to the page in a folder, relative to the page that has the link, of an evaluation with caches in this state.
func LinkTo(dir string, mode samples.Mode) *Link {
	return &Link{"the same with " + string(mode) + " caches", dir + "/" + pageFile}
}

const pageFile = "report.html"

// Model is a fitted model with its parameters against the peaks of the device.
type Model struct {
	*calibrate.Calibration
	Costs []Cost
}

//go:embed page.gohtml
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"seconds":  chart.Seconds,
	"count":    format.Count,
	"percent":  format.Percent,
	"hundred":  func(r float64) float64 { return 100 * r },
	"sizes":    workload.FormatSizes,
	"join":     strings.Join,
	"estimate": estimate,
	"quantity": format.Rough,
	"number":   number,
	"interval": func(p Point) string { return strings.Trim(intervalText(p), " ()") },
	"picture":  func(s *SuiteReport) template.HTML { return chart.Inline(s.Figure()) },
	"overlap": func(c *calibrate.Calibration) template.HTML {
		return chart.Inline(OverlapFigure(c.Fit.Model, c.Fit.Experiment))
	},
	"ties": Verdict.TiesText,
}).Parse(pageText))

// Write writes report.html and the pictures into the folder, which it makes where there is none. It returns their paths.
func (p *Page) Write(dir string) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var html strings.Builder
	if err := pageTemplate.Execute(&html, p); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	for _, f := range append([]file{{pageFile, html.String()}}, p.pictures()...) {
		path, kind := filepath.Join(dir, f.name), replace.Picture
		if f.name == pageFile {
			kind = replace.Page
		}
		if err := kind.Bytes(path, []byte(f.text)); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

type file struct{ name, text string }

// pictures are an SVG file for each suite that has points and for each overlap experiment, named by the letters and digits of their
// titles, and numbered where two names would be the same.
func (p *Page) pictures() (files []file) {
	add := func(title, svg string) {
		words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		base := cmp.Or(strings.Join(words, "-"), "suite")
		name := base + ".svg"
		for n := 2; slices.ContainsFunc(files, func(f file) bool { return f.name == name }); n++ {
			name = fmt.Sprintf("%s-%d.svg", base, n)
		}
		files = append(files, file{name, svg})
	}
	for i := range p.Report.Suites {
		if s := &p.Report.Suites[i]; len(s.Points()) > 0 {
			add(s.Name, s.Figure().SVG())
		}
	}
	for _, m := range p.Models {
		if m.Fit.Experiment != nil {
			add("overlap "+m.Fit.Model, OverlapFigure(m.Fit.Model, m.Fit.Experiment).SVG())
		}
	}
	return files
}

// Measured says when the evaluated kernels were measured.
func (p *Page) Measured() string {
	if len(p.Records) == 0 {
		return "never"
	}
	byTime := func(a, b samples.Record) int { return a.Time.Compare(b.Time) }
	first, last := slices.MinFunc(p.Records, byTime).Time, slices.MaxFunc(p.Records, byTime).Time
	const layout = "2006-01-02 15:04:05"
	text := first.UTC().Format(layout)
	if !first.Truncate(time.Second).Equal(last.Truncate(time.Second)) {
		text += " to " + last.UTC().Format(layout)
	}
	return text + " UTC"
}

// Trials says how many trials each measured time has, and in which state of the caches.
func (p *Page) Trials() string {
	var modes []string
	least, most := math.MaxInt, 0
	for _, r := range p.Records {
		least, most = min(least, len(r.Trials)), max(most, len(r.Trials))
		if !slices.Contains(modes, string(r.Mode)) {
			modes = append(modes, string(r.Mode))
		}
	}
	if most == 0 {
		return "none"
	}
	count := fmt.Sprint(most)
	if least < most {
		count = fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("%s for each time, caches %s; the median counts", count, strings.Join(modes, " and "))
}

// Versions lists the versions of the program that measured.
func (p *Page) Versions() string {
	var all []string
	for _, r := range p.Records {
		if r.Perf != "" && !slices.Contains(all, r.Perf) {
			all = append(all, r.Perf)
		}
	}
	return strings.Join(all, ", ")
}

// Doubts lists the warnings of the measurements, each once.
func (p *Page) Doubts() []string {
	var all []string
	for _, r := range p.Records {
		for _, w := range r.Warnings {
			if text := workload.FormatSizes(r.Kernel.Sizes) + ": " + w; !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

// L2 is the size of the L2 cache, zero where it is not known.
func (p *Page) L2() facts.Fact {
	f, _ := p.Facts.Fact(facts.L2Bytes)
	return f
}

// PeakRate is the peak rate of a device for a kind of work.
type PeakRate struct {
	What string
	machine.Peak
}

// PeakRates lists the peaks of the device.
func (p *Page) PeakRates() (rows []PeakRate) {
	add := func(what string, peak machine.Peak, known bool) {
		if known {
			rows = append(rows, PeakRate{what, peak})
		}
	}
	for _, dtype := range []string{"float32", "float64"} {
		peak, known := machine.ArithmeticPeak(p.Facts, dtype, "madd", "FLOP/s")
		add(dtype+" multiply-add", peak, known)
	}
	peak, known := machine.LocalPeak(p.Facts)
	add("local memory", peak, known)
	peak, known = machine.GlobalPeak(p.Facts)
	add("global memory", peak, known)
	return rows
}

// Warnings lists the warnings of the suite's predictions.
func (s SuiteReport) Warnings() []string {
	var all []string
	for _, v := range s.Variants {
		for _, p := range v.Points {
			for _, w := range p.Warnings {
				all = append(all, v.Name+", "+workload.FormatSizes(p.At)+": "+w)
			}
		}
	}
	return all
}

// Skips lists the points of the suite that were not measured, with the reasons.
func (s SuiteReport) Skips() []string {
	var all []string
	for _, v := range s.Variants {
		for _, k := range v.Skipped {
			all = append(all, fmt.Sprintf("%s, %s: %s: %s", v.Name, workload.FormatSizes(k.At), k.Status, k.Reason))
		}
	}
	return all
}

// TiesText lists the ties and the pairs with equal predictions.
func (v Verdict) TiesText() string {
	texts := lists.Map(v.Ties, func(t [2]string) string { return "measured " + t[0] + " ≈ " + t[1] })
	for _, t := range v.Equal {
		texts = append(texts, "predicted "+t[0]+" = "+t[1])
	}
	return strings.Join(texts, ", ")
}

// estimated is an estimate as text, with its standard error and the unit of both.
type estimated struct{ Value, StdErr, Unit string }

func estimate(c Cost) (e estimated) {
	e.Value, e.StdErr, e.Unit = format.Uncertain(c.Value, c.StdErr, c.Unit)
	if math.IsInf(c.StdErr, 0) || math.IsNaN(c.StdErr) {
		e.StdErr = number(c.StdErr)
	}
	return e
}

// number writes a number with three digits; what is infinite or no number, in words.
func number(v float64) string {
	switch {
	case math.IsInf(v, 0):
		return "not determined"
	case math.IsNaN(v):
		return "not known"
	}
	return format.Rough(v, "")
}
