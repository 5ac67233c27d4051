package calibrate

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"gpuperf/internal/yamlfile"
	"gpuperf/internal/yamlfile/yamltest"
	"gpuperf/samples"
)

// profiled has two fits: a good one, and one with every number that is not finite.
func profiled(t testing.TB) *Profile {
	t.Helper()
	m := model(t, overlapModel)
	kernels, features := microbenchmarks()
	definition := m.String()
	good := fitRows(t, m, rowsOf(t, m, titanV, 0.02, rand.New(rand.NewPCG(1, 2)), kernels, features))
	good.Model = "1e3"
	equal := model(t, "expression: p_a * f_x + p_b * f_x\nparameters: {p_a: {unit: 's per 4 B'}}\n")
	poor := fitRows(t, equal, []Row{{Features: map[string]float64{"f_x": 1}, Output: 2}})
	origin := Origin{
		Date: time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC), Perf: "v1: #1", ModelFile: "a b.yaml",
		ModelHash: strings.Repeat("12", 32), SamplesFile: "yes", SamplesHash: strings.Repeat("0e", 32),
	}
	hidden := 0.25
	good.Choice = &Choice{Form: "overlap", Reason: "overlap: #1, of 3", Candidates: []Candidate{{Form: "linear", LeaveKernel: 0.5, Kernels: 3, Score: 0.5}, {Form: "overlap", LeaveRatio: 0.1, Ratios: 9}}}
	good.Experiment = &Experiment{Points: []ExperimentPoint{{2, 1e-3, 1.1e-3, 1e-6, 8e-4, 3e-4}}, Hidden: &hidden}
	return &Profile{
		Version: ProfileVersion,
		Device: samples.Fingerprint{
			Name: "NVIDIA: H200 [x]", Vendor: "null", Driver: "535.10", Platform: "#1", UUID: strings.Repeat("12345678", 4),
			ComputeUnits: 132, SubgroupSize: 32, MaxWorkItems: []int64{1024, 1024, 64},
		},
		Models: []Calibration{{Fit: *good, Definition: definition, Origin: origin}, {Fit: *poor, Definition: "# as the user wrote it\n\n  # and more\n" + equal.String() + "\n\n", Origin: origin}},
	}
}

var profileCompare = cmp.Options{cmpopts.IgnoreFields(Fit{}, "History"), cmpopts.EquateNaNs()}

func TestProfileRoundTrip(t *testing.T) {
	p := profiled(t)
	path := filepath.Join(t.TempDir(), "new", "profile.yaml")
	for range 2 { // the second time over an existing file
		if err := p.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	back, err := LoadProfile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, back, profileCompare); d != "" {
		t.Error(d)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v: a temporary file is left", files, err)
	}
	if c := back.Find("1e3"); c == nil || c.Fit.Estimate("p_ga") == nil || back.Find("other") != nil {
		t.Error("Find does not find")
	}
	m := model(t, overlapModel)
	at := map[string]float64{"f_launch": 1, "f_groups": 8192, "f_ga": 3e7, "f_gb": 4e7, "f_madd": 1e7, "f_lmem": 1e6}
	a, err := p.Models[0].Fit.Predict(m, at)
	if err != nil {
		t.Fatal(err)
	}
	b, err := back.Models[0].Fit.Predict(m, at)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(a, b, cmpopts.IgnoreUnexported(Prediction{})); d != "" {
		t.Error(d)
	}
}

// TestAnyTextSurvives: names and definitions are the user's and may hold anything that a model file may.
func TestAnyTextSurvives(t *testing.T) {
	base := profiled(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab1e:#-|>'\"{}[],&*!%@` \n\té~?=.")), 1, 30, -1)
		p := *base
		p.Models = slices.Clone(base.Models)
		p.Device.Name = text.Draw(t, "name")
		p.Models[0].Fit.Model = text.Draw(t, "model")
		p.Models[0].Definition = "# " + strings.ReplaceAll(text.Draw(t, "definition"), "\n", "\n# ") + "\n" + base.Models[0].Definition
		p.Models[0].Origin.ModelFile = text.Draw(t, "file")
		p.Models[0].Fit.Warnings = []string{text.Draw(t, "warning")}
		out, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseProfile("p.yaml", out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if d := cmp.Diff(&p, back, profileCompare); d != "" {
			t.Fatal(d)
		}
	})
}

func TestPutReplaces(t *testing.T) {
	p := profiled(t)
	c := p.Models[1]
	c.Fit.Residual = 7
	p.Put(c)
	if len(p.Models) != 2 || p.Models[1].Fit.Residual != 7 {
		t.Errorf("%d models", len(p.Models))
	}
	c.Fit.Model = "third"
	p.Put(c)
	if d := cmp.Diff([]string{"1e3", "m", "third"}, p.Names()); d != "" {
		t.Error(d)
	}
}

func TestProfileMistakes(t *testing.T) {
	text, err := profiled(t).YAML()
	if err != nil {
		t.Fatal(err)
	}
	find := func(pattern string) []string { return regexp.MustCompile(pattern).FindStringSubmatch(string(text)) }
	value, stderr, group := find(`value: \S+`)[0], find(`stderr: \S+`)[0], find(`  - name: p_group
.*
.*
`)[0]
	entry := find(`covariance: \[\[(\S+), (\S+), `) // the variance of p_launch, its covariance with p_group
	if _, err := ParseProfile("c.yaml", []byte("version: 1\nkernels: []\n")); err == nil || !strings.Contains(err.Error(), "c.yaml:1:1: this is no profile") {
		t.Errorf("a campaign file: %v", err)
	}
	for _, c := range []struct{ old, bad, want string }{
		{"version: 2", "version: 9", "p.yaml:1:10: a profile of version 9 is not known\n    version: 9\n             ^\n    this program reads version 2: calibrate again"},
		{"version: 2\n", "", "the profile has no version"},
		{"residual:", "residul:", "unknown key \"residul\"\n      residul:"},
		{"compute_units: 132", "compute_units: many", "compute_units: many"},
		{"devic", "\tdevic", "cannot start any token"},
		{"definition: |", "definition: ''\n  rest: |", "unknown key \"rest\""},
		{"covariance: [[", "covariance: [[1, ", "there are 8 numbers here and not 7"},
		{value, "value: null", "p.yaml:29:12: value has no value\n        value: null\n               ^"},
		{value, "value: -1e-6", "p.yaml:29:12: parameter p_launch is -1e-6\n        value: -1e-6\n               ^\n    the model allows finite numbers, 0 or greater"},
		{value, "value: .nan", `29:12: expected a number, found ".nan"`},
		{value, "value: .inf", "29:12: parameter p_launch is .inf"},
		{value, "rate: 1", "28:5: parameter p_launch has no value"},
		{stderr, "stderr: -1", "30:13: a standard error is not negative"},
		{stderr, "stderr: 1\n    prior: {value: 1}", "the prior has no stderr"},
		{stderr, "stderr: 1\n    prior: {value: -1, stderr: 1}", "the value of a prior is -1"},
		{"- name: p_group", "- name: p_launch", "31:11: parameter p_launch stands here twice"},
		{"- name: p_group", "- name: p_grope", "31:11: the definition of the model has no parameter p_grope\n      - name: p_grope\n              ^\n    it has: p_launch, p_group"},
		{group, "", "parameter p_group of the definition is not among the parameters"},
		{"- model: m\n", "- model: \"1e3\"\n", "the profile has model 1e3 twice"},
		{"  name: \"NVIDIA: H200 [x]\"\n", "", "the profile names no device"},
		{"residual: 0.1", "residual: -0.1", "residual is -0.1"},
		{"  residual: 0.1", "  iterations: 0 #", "already defined"},
		{"rows: 32", "rows: 0", "rows is 0"},
		{"freedom: 26", "freedom: 2.6", "freedom is 2.6"},
		{"    perf: ", "    cache: tepid\n    perf: ", "tepid is no state of the caches"},
		{"inside: ", "inside: -0.5 #", "inside is -0.5"},
		{"    f_ga:\n    - 0.0\n", "    f_ga:\n    - 2e9\n", "the range of f_ga ends before it begins"},
		{"    f_ga:\n    - 0.0\n", "    f_ga:\n", "there are 1 numbers here and not 2"},
		{"  origin:", "  origins:", "unknown key"},
		{entry[1], "-" + entry[1], "the variance of p_launch is negative"},
		{entry[2], "1e-19", "the covariance is not symmetric"},
		{entry[1], "1e-24", "would have a correlation beyond 1"},
		{"covariance: [[", "covariance: [] #", "the covariance has 0 rows for 7 parameters"},
	} {
		bad := strings.Replace(string(text), c.old, c.bad, 1)
		if bad == string(text) {
			t.Fatalf("%q does not occur in\n%s", c.old, text)
		}
		if _, err := ParseProfile("p.yaml", []byte(bad)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "p.yaml:") {
			t.Errorf("%q gave\n%v\nwant\n%s", c.bad, err, c.want)
		}
	}
}

// TestUnreadDefinitions: a model whose definition cannot be read is left out, stays in the file as it is, and is replaced by Put.
func TestUnreadDefinitions(t *testing.T) {
	text, err := profiled(t).YAML()
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "expression: overhead", "expression: overhaed", 1))
	p, err := ParseProfile("p.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Names(), []string{"m"}) || len(p.Unread) != 1 || p.Find("1e3") != nil {
		t.Fatalf("models %q, %d not read", p.Names(), len(p.Unread))
	}
	want := `^model 1e3: left out of the profile, made by another version of the program: calibrate it again \(p.yaml:\d+:\d+: the definition of the model: .*\) \[other-version\]$`
	if got := p.Warnings(); len(got) != 1 || !regexp.MustCompile(want).MatchString(got[0]) {
		t.Errorf("%q", got)
	}
	definition := p.Unread[0].Definition
	for _, put := range []string{"third", "m"} {
		c := p.Models[0]
		c.Fit.Model = put
		p.Put(c)
	}
	if text, err = p.YAML(); err != nil {
		t.Fatal(err)
	}
	back, err := ParseProfile("p.yaml", text)
	if err != nil || !slices.Equal(back.Names(), []string{"m", "third"}) || len(back.Unread) != 1 || back.Unread[0].Definition != definition {
		t.Fatalf("%v:\n%s", err, text)
	}
	if d := cmp.Diff(p.Unread[0].Calibration, back.Unread[0].Calibration, profileCompare); d != "" {
		t.Error(d)
	}
	again := p.Models[0]
	again.Fit.Model = "1e3"
	p.Put(again)
	if !slices.Equal(p.Names(), []string{"m", "third", "1e3"}) || len(p.Unread) != 0 || p.Warnings() != nil {
		t.Errorf("models %q, %d not read", p.Names(), len(p.Unread))
	}
}

func TestProfileSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(ProfileSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("profile.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("profile.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := profiled(t).YAML()
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		n, err := yamlfile.Parse("", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(yamltest.Plain(n, texts))
	}
	if err := validate(string(text)); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	for _, c := range []struct{ old, bad string }{
		{"residual:", "residul:"},
		{"version: 2", "version: 1"},
		{"- name: p_", "- name: q_"},
		{"kernels:", "kernels: -1 #"},
	} {
		if validate(strings.Replace(string(text), c.old, c.bad, 1)) == nil {
			t.Errorf("the schema accepts %q", c.bad)
		}
	}
}

// texts are the keys whose values are text whatever they look like.
var texts = map[string]bool{
	"name": true, "model": true, "uuid": true, "vendor": true, "driver": true, "platform": true, "samples_file": true,
	"model_hash": true, "samples_hash": true, "date": true, "unit": true,
}

func TestFitAsJSON(t *testing.T) {
	p := profiled(t)
	for _, c := range p.Models {
		text, err := json.Marshal(&c.Fit)
		if err != nil {
			t.Fatal(err)
		}
		var back struct {
			Model      string
			Parameters map[string]struct{ Value, StdErr *float64 }
			Residual   *float64
			Status     string
			Iterations *int
			Warnings   []string
		}
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if back.Model != c.Fit.Model || len(back.Parameters) != len(c.Fit.Parameters) || back.Residual == nil || back.Iterations == nil || back.Warnings == nil {
			t.Errorf("%s", text)
		}
		for _, e := range c.Fit.Parameters {
			got := back.Parameters[e.Name]
			if got.Value == nil || *got.Value != e.Value || (got.StdErr == nil) != (math.IsNaN(e.StdErr) || math.IsInf(e.StdErr, 0)) {
				t.Errorf("%s: %+v, want %+v", e.Name, got, e)
			}
		}
	}
}

// TestRoofOfProfiles: rates of the roof are kept, the highest of each resource, and what is no rate of its resource is refused.
func TestRoofOfProfiles(t *testing.T) {
	p := profiled(t)
	for _, rate := range []float64{1, 3e5, 2} {
		p.Reach(Reached{"launches", rate, "launches/s", "empty_kernel"})
	}
	p.Reach(Reached{"float32 arithmetic", 3e13, "op/s", "flops_madd_pattern"})
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseProfile("p.yaml", text)
	if err != nil || len(read.Roof) != 2 || read.Roof[0].Rate != 3e5 {
		t.Fatalf("%v, %v", read, err)
	}
	for _, c := range []struct{ old, bad, want string }{
		{"rate: 300000.0", "rate: 0", "the rate of launches is 0"},
		{"rate: 300000.0", "rate: .inf", "the rate of launches is .inf"},
		{"resource: launches", "resource: \"global memory\"", "is not the unit of a rate of \"global memory\""},
		{"  unit: \"launches/s\"\n", "", "needs resource:, rate: and unit:"},
		{"roof:", "rooof:", "did you mean roof?"},
	} {
		bad := strings.Replace(string(text), c.old, c.bad, 1)
		if bad == string(text) {
			t.Fatalf("%q does not occur in\n%s", c.old, text)
		}
		if _, err := ParseProfile("p.yaml", []byte(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q gave\n%v\nwant\n%s", c.bad, err, c.want)
		}
	}
}
