package report

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// files are results of commands, shortened.
var files = map[string]string{
	"timeline.json": `{"timeline": {"title": "knl on a device", "summary": "some cycles", "reasons": ["memory", "<barrier>"],
		"ticks": [{"percent": 50, "cycle": "100"}], "rows": [{"name": "1", "waits": [{"reason": 1, "path": "M0 0h9\">"}], "issues": "M3 10v-5h1v5z"}],
		"instructions": [{"address": "0x10", "text": "LDG.E R1", "reason": "memory", "times": 3, "cycles": 40}]}}`,
	"rank.json": `{"at": {"n": 64}, "ranking": [
		{"rank": 1, "kernel": "fast", "device": "D", "at": {"n": 64}, "seconds": 1e-3, "interval": [9e-4, 2e-3], "terms": {"a": 1}, "warnings": ["w <1>"],
		 "measured": {"seconds": 2e-3, "bytes_per_second": 1e12, "of_roof": 0.5, "status": "ok"}},
		{"rank": 2, "kernel": "slow", "at": {"n": 64}, "seconds": 3e-3, "interval": [2e-3, null], "terms": {}},
		{"rank": 3, "kernel": "slowest", "at": {"n": 64}, "seconds": 12e-3, "interval": [2e-3, 13e-3], "terms": {}}]}`,
	"explain.json": `{"kernel": "k", "at": {"n": 1}, "predicted": 4e-3, "interval": null, "measured": 5e-3, "bound": "dram",
		"terms": [{"name": "a", "seconds": 1e-3}, {"name": "b", "seconds": 2e-3}, {"name": "all", "joins": ["a", "b"], "seconds": 4e-3}],
		"costs": [{"by": "b", "seconds": 2e-3}, {"by": "all", "seconds": 6e-4}, {"by": "a", "seconds": 1e-3}, {"by": "all", "seconds": 4e-4}], "remedies": [{"text": "cure it"}], "advice": ["do"]}`,
	"explore.json": `{"file": "dot.lift", "device": "D", "curve": [], "strategy": "rank", "configurations": 3, "runs": [{"configuration": [{"choice": "recipe", "option": "<r>"}], "status": "ok", "seconds": 3e-3, "after_seconds": 1},
		{"configuration": [{"choice": "recipe", "option": "s"}], "status": "wrong_result", "after_seconds": 2}, {"configuration": [{"choice": "recipe", "option": "t"}], "status": "ok", "seconds": 2e-3, "after_seconds": 4}],
		"best": [{"configuration": [{"choice": "recipe", "option": "t"}], "seconds": 2.1e-3, "of_roof": 0.475, "times": [{"at": {"n": 64}, "seconds": 2.5e-3}]}],
		"ranges": [{"from": {"n": 64}, "to": {"n": 96}, "run": {"configuration": [{"choice": "recipe", "option": "u"}]}, "regret": 0.125}], "text": "variant v\nmap(f) $ xs", "stopped": "it was late", "warnings": ["w"]}`,
	"all.json": `{"devices": [{"device": "D0", "result": {"file": "dot.lift", "runs": [{"configuration": [], "status": "ok", "seconds": 1e-3}]}}, {"device": "D1"}]}`,
	"ranges.json": `{"program": "dot", "size": "n", "ranges": [{"from": 1, "to": 100, "at": 10, "recipe": "r", "best": {"variant": "ee"}, "predicted_gain": 0.25,
		"measured": [{"recipe": "r", "seconds": 1e-6}, {"recipe": "s", "seconds": 2e-6}]}]}`,
	"configurations.json": `{"file": "a.star", "at": {"n": 64}, "device": "D", "configurations": 9, "refused": 2, "continued": 0,
		"best": [{"configuration": "bm=1,bn=2", "seconds": 1e-3, "lo": 9e-4, "hi": 2e-3}, {"configuration": "bm=2,bn=2", "seconds": 2e-3, "lo": 1e-3, "hi": 3e-3}]}`,
	"strategies.json": `{"seeds": 7, "programs": [{"program": "a.c", "configurations": 30, "best_seconds": 1e-3, "strategies": [
		{"strategy": "ants", "runs": {"mean": 12.5, "low": 10, "high": 15}, "missed": 1, "curve": [{"mean": 3}, {"mean": 1.5}]}, {"strategy": "ants", "model": true, "runs": {"mean": 2, "low": 1, "high": 3}, "curve": [{"mean": 1.2}, {"mean": 1.1}]}]}]}`,
	"emulated.json": `{"kernels": [{"kernel": "m", "device": "D", "seconds": 1e-3, "interval": [9e-4, 2e-3], "bottleneck": {"resource": "l2", "kind": "latency"}, "advice": [{"text": "reuse it", "gain": 1.5}],
		"lines": [{"place": "/src/m.cu:8", "part": 0.4375, "reason": "memory queue"}]}, {"kernel": "o", "device": "D", "seconds": 2e-3}]}`,
	"compared.json": `{"kernels": [{"kernel": "p", "predicted": 2e-3, "lines": [{"file": "p.cl", "line": 3, "action": "load", "array": "x", "space": "global", "strides": [4, 8, 0], "share": 0.625}]}, {"kernel": "q", "predicted": 5e-3}],
		"work": [{"what": "stores, by L2", "first": 1e-3, "second": 4e-3}], "lines": [{"what": "load of x in global memory", "first": 1.25e-3, "second": 0, "where": "p.cl:3"}]}`,
	"merged.json": `{"devices": [{"label": "D0", "samples": 1}, {"label": "D1", "samples": 20}], "comparison": [{"what": "p_launch", "unit": "s", "values": [1e-6, 2e-6], "spread": 1}, {"what": "best", "unit": "s", "values": [null, 2e-6], "choice": ["x"]}], "missing": ["shard 3/4"]}`,
	"eval.json": `{"geomean_relative_error": 0.1, "suites": [{"name": "S", "variants": [{"name": "v", "model": "m",
		"points": [{"at": {"n": 1}, "predicted": 1e-3, "interval": [9e-4, 2e-3], "measured": 2e-3, "relative_error": -0.5},
		{"at": {"n": 2}, "predicted": 5e-3, "interval": [4e-3, 6e-3], "measured": 5.1e-3, "relative_error": -0.02}]}]}]}`,
	"measure.json": `{"samples": [
		{"kernel": {"source": "a.star", "sizes": {"n": 64}}, "mode": "warm", "status": "ok", "trials": [1e-3], "summary": {"median": 1e-3, "lo": 9e-4, "hi": 1.1e-3},
		 "bytes_per_second": 2e12, "flop_per_second": 1e12, "of_roof": 0.5, "device": {"name": "NVIDIA H200", "compute_units": 132, "clock_mhz": 1980, "architecture": "sm_90"}},
		{"kernel": {"source": "b.star", "sizes": {"n": 64}}, "mode": "warm", "status": "ok", "trials": [1e-3], "summary": {"median": 1e-3, "lo": 9e-4, "hi": 1.1e-3},
		 "bytes_per_second": 5e11, "flop_per_second": 3e13, "of_roof": 0.7, "device": {"name": "NVIDIA H200"}}]}`,
	"app.json": `{"folder": "captured", "device": "D", "seconds": 4e-3, "alike": 1, "known": 0,
		"errors": {"kinds": 2, "measured": 4e-3, "predicted": 5e-3, "geometric_mean": 0.2, "mean": 0.25, "median": 0.25, "off_by_half": 1, "intervals": 1, "inside": 1}, "launches": [
		{"file": "f-1.yaml", "kernel": "_Z1fv", "name": "f<int>", "launches": 3, "seconds": 3e-3, "measured": 1e-3, "predicted": 1.25e-3, "interval": [1e-3, 2e-3], "status": "time",
		 "error_of_prediction": 0.25, "share": 0.75, "bottleneck": "l2: latency", "busiest": "l2 61 %", "lines": [{"place": "/src/a.cu:7", "part": 0.4375, "reason": "memory"}]},
		{"file": "g-1.yaml", "kernel": "g", "name": "g", "launches": 1, "seconds": 1e-3, "measured": 1e-3, "predicted": null, "interval": [null, null], "status": "endless", "share": 0.25},
		{"file": "h-1.yaml", "launches": 1, "error": "no listing"}]}`,
	"tune.json": `{"file": "k.star", "device": "D", "strategy": "ants", "configurations": 9, "usual_seconds": 5e-3, "curve": [{"runs": 1, "seconds": 4e-3}, {"runs": 3, "seconds": 1e-3}],
		"runs": [{"configuration": [{"choice": "bm", "option": "16"}, {"choice": "bn", "option": "8"}], "status": "ok", "seconds": 4e-3, "after_seconds": 2.5},
		{"configuration": [{"choice": "bm", "option": "32"}], "status": "refused", "after_seconds": 3}, {"configuration": [{"choice": "bm", "option": "64"}], "status": "ok", "seconds": 1e-3, "after_seconds": 7.25}]}`,
}

// wholePage has a section of each kind of result.
func wholePage(t *testing.T) *Page {
	t.Helper()
	folder := t.TempDir()
	page := &Page{Title: "a & b"}
	for _, name := range []string{"rank.json", "explain.json", "eval.json", "tune.json", "measure.json", "timeline.json", "explore.json", "all.json", "ranges.json", "configurations.json", "strategies.json", "merged.json", "app.json", "emulated.json", "compared.json"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		page.Sections = append(page.Sections, s)
	}
	for _, path := range []string{"../../../testdata/h200/matmul_2_2.jsonl", "../../../calibrate/profiles/h200.yaml"} {
		s, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		page.Sections = append(page.Sections, s)
	}
	return page
}

// TestPage: each kind of result has its table, with what it is sorted by, and its pictures; texts are escaped, and nothing is loaded.
func TestPage(t *testing.T) {
	page := wholePage(t)
	var b strings.Builder
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), ">bm=1,<wbr> bn=2</td>") || !strings.Contains(b.String(), ">2.1\u00a0ms</td>") {
		t.Error("lines are not broken behind commas alone")
	}
	html := strings.NewReplacer("<wbr>", "", "\u00a0", " ").Replace(b.String())
	for _, want := range []string{
		"<title>a &amp; b</title>", "<h2>p_launch, best on 2 devices</h2>", "w &lt;1&gt;",
		`<td class="n" data-key="0.001">1 ms</td>`, ">≥ 2 ms</td>", ">-50.00 %</td>", ">1 TB/s</td>", // the ranking
		"<title>k n=1, all: 1 ms</title>",              // its own part, without what it joins
		"do</dd>", "cure it</dd>", ">m: reuse it</dd>", // advice and remedies
		">l2: latency</td>", ">m.cu:8</td>", ">memory queue</td>", ">load of x in global memory</td>", ">4 B, 8 B</td>", ">&#43;3 ms</td>", // emulation, and two kernels
		"<h3>best so far</h3>", `<td class="n" data-key="7.25">7.25 s</td>`, "<title>after 7.25 s: 1 ms</title>", // the search, over time
		"geometric mean relative error</dt><dd>10.00 ",                                     // the evaluation
		`<path class="w1" d="M0 0h9&#34;&gt;"/>`, "&lt;barrier&gt;</li>", ">LDG.E R1</td>", // the timeline
		"ants: 3 of 9 configurations run", ">bm=16, bn=8</td>",
		"matmul_prefetch.star#knl n=4096", "p_launch",
		"<title>Roofline</title>", "float32: 66.9 TFLOP/s, 4.8 TB/s", // with the roofs of the device
		"<title>Residuals</title>", "<title>S, v n=1: -50.00",
		"<title>Parameters of general</title>",
		">recipe=&lt;r&gt;</td>", ">wrong_result</td>", ">2.1 ms</td>", ">47.50 %</td>", "map(f) $ xs", "it was late", // the program
		"<h3>D0: runs</h3>", "D1: nothing was searched", ">ee</td>",
		">25.00 %</td><td data-name=\"time\" class=\"n\" data-key=\"1e-06\">1 µs</td><td data-name=\"of the neighbours\" class=\"n\" data-key=\"2e-06\">2 µs</td>", // the ranges
		"<th class=\"n\">n=64</th>", ">2.5 ms</td>", "<td>n=96</td><td class=\"n\" data-key=\"0.125\">1.12 x</td><td>recipe=u</td>", // several sizes
		"9, of which the device would refuse 2", ">bm=1, bn=2</td>", "ants, by predictions", ">10.0 – 15.0</td>", "D1, 20 samples", ">100.00 %</td>", "shard 3/4",
		">a.cu:7</td><td>f&lt;int&gt;</td><td class=\"n\" data-key=\"0.0013125\">1.312 ms</td>", ">&#43;25.00 %</td>", "h-1.yaml is left out: no listing", ">(endless)</td>", "4 ms, 5 ms (&#43;25.0 %)", "time of all launches", ">f&lt;int&gt;</td>", // the application
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(html, "<section"); n != 17 {
		t.Errorf("%d sections", n)
	}
	if found := regexp.MustCompile(`(?i)(src|href)="[^#]`).FindString(html); found != "" {
		t.Errorf("the page needs another file: %s", found)
	}
	if strings.Contains(html, ">arithmetic<") && strings.Contains(html[:strings.Index(html, "explain")], "FLOP/s") {
		t.Error("an empty column is shown")
	}
}

// TestRefused: what is no result says what would be.
func TestRefused(t *testing.T) {
	for name, content := range map[string]string{
		"no.json": "x", "other.json": `{"a": 1}`, "list.json": "[]", "wrong.json": `{"ranking": 3}`, "empty.json": `{"curve": [], "runs": []}`, "wrong.yaml": "version: 99\n", "wrong.jsonl": "{\"version\": 9}\n\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read("missing.json"); err == nil {
		t.Error("a missing file is no error")
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range files {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if s, err := Read(path); err == nil {
			if err := (&Page{Sections: []Section{s}}).Write(&strings.Builder{}); err != nil {
				t.Error(err)
			}
		}
	})
}

// Kernels of one name are told apart by their files, others keep their names.
func TestTellApart(t *testing.T) {
	all := tellApart([]kernel{{Script: "x/a.star", Kernel: "knl"}, {Script: "x/b.star", Kernel: "knl"}, {Script: "x/b.star", Kernel: "other"}, {Kernel: "bare"}})
	var names []string
	for _, k := range all {
		names = append(names, k.name())
	}
	if want := []string{"a.star#knl", "b.star#knl", "other", "bare"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// A page that nobody has named has the names of its sections.
func TestPageTitle(t *testing.T) {
	if got := (&Page{Sections: []Section{{Title: "a n=1"}, {Title: "b"}, {Title: "c"}, {Title: "d"}}}).Of(); got != "perf: a n=1, b, c and 1 more" {
		t.Error(got)
	}
}
