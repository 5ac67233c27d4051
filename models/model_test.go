package models

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/internal/golden"
	"gpuperf/internal/source"
)

const matmul = `version: 1
name: matmul
output: f_cl_wall_time
terms:
  overhead: p_launch * f_sync_kernel_launch + p_group * f_thread_groups
  gmem: p_ga * f_mem_access_tag:aLD + p_gb * f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:16}_afr:>1 + p_gc * f_mem_access_global_float32_store
  onchip: >-
    p_madd * f_op_float32_madd
    + p_l * f_traffic
expression: overhead + overlap(gmem, onchip, p_edge)
features:
  f_traffic: 4 * f_mem_access_local_float32
parameters:
  p_edge: {init: 1e3, min: 0}
  p_madd: {unit: s per 64 op}
fit: {scale_by_output: true, nonnegative: true}
measure:
  - tags: [matmul_sq, "dtype:float32", "n:2048,2560,3072,3584"]
    match: superset
  - tags: [empty_kernel]
  - script: ../matmul.star#tiled
    remove_work: {keep: [aLD, bLD], accumulators: 2}
    sizes: [{n: 1024}, {n: 2048, m: 16}]
`

func mustParse(t testing.TB, text string) *Model {
	t.Helper()
	m, err := Parse("m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParse(t *testing.T) {
	m := mustParse(t, matmul)
	wantFeatures := []string{
		"f_sync_kernel_launch", "f_thread_groups", "f_mem_access_tag:aLD",
		"f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:16}_afr:>1",
		"f_mem_access_global_float32_store", "f_op_float32_madd", "f_mem_access_local_float32",
	}
	if d := cmp.Diff(wantFeatures, m.FeatureNames()); d != "" {
		t.Error(d)
	}
	wantParams := []string{"p_launch", "p_group", "p_ga", "p_gb", "p_gc", "p_madd", "p_l", "p_edge"}
	if d := cmp.Diff(wantParams, m.ParameterNames()); d != "" {
		t.Error(d)
	}
	if p := m.Parameter("p_edge"); *p.Init != 1000 || p.Min != 0 {
		t.Errorf("p_edge = %+v", p)
	}
	if p := m.Parameter("p_ga"); p.Init != nil || p.Min != 0 {
		t.Errorf("p_ga = %+v, want min 0 from nonnegative", p)
	}
	if got := m.Place("f_mem_access_local_float32"); got.Line != 12 || got.Column != 18 {
		t.Errorf("f_mem_access_local_float32 stands at %v", got)
	}
	if got := m.Place("p_l"); got.Line != 9 || got.Column != 7 {
		t.Errorf("p_l stands at %v", got)
	}
	if m.Measure[1].Match != Superset || m.Measure[0].Places[1].Column != 23 {
		t.Errorf("measure = %+v", m.Measure)
	}
	own := Measurement{
		Script: "../matmul.star", Kernel: "tiled", RemoveWork: &WorkRemoval{Keep: []string{"aLD", "bLD"}, Accumulators: 2},
		Sizes: []map[string]int64{{"n": 1024}, {"n": 2048, "m": 16}}, Places: []source.Pos{{Line: 21, Column: 13}},
	}
	if d := cmp.Diff(own, m.Measure[2]); d != "" {
		t.Error(d)
	}
}

func TestModelPrintsWhatItParses(t *testing.T) {
	for _, text := range []string{matmul, "version: 1\nname: 'it''s: a \"name\"'\noutput: f_t\nexpression: 2\n"} {
		m := mustParse(t, text)
		again := mustParse(t, m.String())
		if again.String() != m.String() {
			t.Errorf("printed\n%s\nthen\n%s", m, again)
		}
		if !again.Expr().Equal(m.Expr()) {
			t.Errorf("%s became %s", m.Expr(), again.Expr())
		}
	}
}

// TestMistakes reads testdata/mistakes.txt: model files separated by lines of =, each followed by -- and the error it gives.
func TestMistakes(t *testing.T) {
	golden.Mistakes(t, "testdata/mistakes.txt", func(text string) error {
		_, err := Parse("m.yaml", []byte(text))
		return err
	})
}

// TestLinearParameters: the parameters of a list may have any values at once, and the model is linear in them.
func TestLinearParameters(t *testing.T) {
	for text, want := range map[string]string{
		"p_a * f_x + p_b": "p_a p_b",
		"p_a * exp(-p_b * f_x) + p_c * (1 - exp(-p_d * f_x))": "p_a p_c",
		"(p_a * f_x + p_b) * (p_c + f_y)":                     "p_a p_b",
		"overlap(p_a * f_x, p_b * f_y, p_c) + p_d":            "p_d",
		"p_a * p_a * f_x + p_b * f_x ** p_c":                  "p_b",
		"f_x < p_a ? p_b * f_x : p_c":                         "p_b p_c",
	} {
		m, err := New("m", "f_t", text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(m.LinearParameters(), " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
