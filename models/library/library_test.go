package library

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/models"
)

// TestEveryFileIsAModel: each embedded file is listed, parses, and is named as its file.
func TestEveryFileIsAModel(t *testing.T) {
	found, err := fs.Glob(files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(All.Entries) {
		t.Errorf("%d files, %d entries", len(found), len(All.Entries))
	}
	for _, name := range All.Names() {
		m, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Name != name {
			t.Errorf("file %s holds model %s", name, m.Name)
		}
		if len(m.Measure) == 0 || !m.Fit.ScaleByOutput || !m.Fit.Nonnegative {
			t.Errorf("%s: cannot be calibrated as the paper does", name)
		}
		for _, p := range m.ParameterNames() {
			shape := strings.HasPrefix(p, "p_edge") || strings.HasPrefix(p, "p_norm")
			if (m.Parameter(p).Unit == "") != shape {
				t.Errorf("%s: parameter %s has the unit %q", name, p, m.Parameter(p).Unit)
			}
		}
	}
	if _, err := Load("nowhere"); err == nil || !strings.Contains(err.Error(), "linear, overlap") {
		t.Errorf("got %v", err)
	}
}

// TestGeneralModelsDifferInTheirFormAlone, so that they are fitted to the same samples and can be compared.
func TestGeneralModelsDifferInTheirFormAlone(t *testing.T) {
	load := func(name string) *models.Model {
		m, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	linear := load("linear")
	for _, name := range []string{"overlap", "pnorm"} {
		m := load(name)
		for i, term := range linear.Terms {
			if diff := cmp.Diff(term.Expression, m.Terms[i].Expression); diff != "" {
				t.Errorf("%s: term %s\n%s", name, term.Name, diff)
			}
		}
		for i, set := range linear.Measure {
			if diff := cmp.Diff(set.Tags, m.Measure[i].Tags); diff != "" || len(m.Measure) != len(linear.Measure) {
				t.Errorf("%s: measurement set\n%s", name, diff)
			}
		}
	}
}
