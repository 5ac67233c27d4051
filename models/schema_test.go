package models

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gpuperf/internal/yamlfile"
	"gpuperf/internal/yamlfile/yamltest"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("model.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("model.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaAcceptsModels(t *testing.T) {
	s := schema(t)
	texts := map[string]string{"matmul": matmul}
	files, err := filepath.Glob("../calibrate/testdata/nist/*.yaml")
	if err != nil || len(files) != 27 {
		t.Fatalf("%d model files, %v", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[f] = string(text)
	}
	for name, text := range texts {
		mustParse(t, text)
		n, err := yamlfile.Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(yamltest.Plain(n, nil)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaRefusesMistakes has the mistakes of form; those inside expressions are beyond a schema.
func TestSchemaRefusesMistakes(t *testing.T) {
	s := schema(t)
	for _, c := range []struct{ old, bad string }{
		{"expression:", "expresion:"},
		{"version: 1", "version: 2"},
		{"output: f_cl", "output: cl"},
		{"nonnegative: true", "nonnegative: 1"},
		{"match: superset", "match: supersets"},
		{"init: 1e3", "initial: 1e3"},
		{"  p_edge: {", "  edge: {"},
		{"  f_traffic: 4", "  traffic: 4"},
		{"  onchip:", "  p_onchip:"},
		{"tags: [empty_kernel]", "tags: []"},
		{"keep: [aLD, bLD]", "keep: []"},
		{"accumulators: 2", "accumulators: 65"},
		{"    sizes: [{n: 1024}, {n: 2048, m: 16}]\n", ""},
		{"sizes: [{n: 1024}, ", "sizes: [{m: 16, n: 2048}, "},
		{"script: ../matmul.star#tiled", "tags: [empty_kernel]"},
		{"script: ../matmul.star#tiled", "script: ../matmul.star\n    match: superset"},
		{"script: ../matmul.star#tiled", "kernel: tiled"},
		{"- tags: [empty_kernel]", "- tags: [empty_kernel]\n    remove_work: {}"},
	} {
		text := strings.Replace(matmul, c.old, c.bad, 1)
		if text == matmul {
			t.Fatalf("%q does not occur", c.old)
		}
		n, err := yamlfile.Parse("", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(yamltest.Plain(n, nil)) == nil {
			t.Errorf("%q passes", c.bad)
		}
		if _, err := Parse("", []byte(text)); err == nil {
			t.Errorf("Parse accepts %q", c.bad)
		}
	}
}
