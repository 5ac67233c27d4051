package fleet

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gpuperf/internal/yamlfile"
	"gpuperf/internal/yamlfile/yamltest"
)

var good = []string{
	"work: [{calibrate: general}]",
	"name: spring\nshards: 16\ndevices: 4\noutput: /scratch/x\nwork: [{calibrate: [general, a.yaml], with: {cache: cold, trials: 3}}, {tune: a.star, sizes: n=4, parts: 3}]",
	"work: [{measure: [a.yaml, b.yaml], sizes: ['n=1', 'n=2']}]\nslurm: {options: {partition: gpu, exclusive: true, gpus: 1}, setup: [module load cuda]}",
}

// wrong are campaign files with the place and a part of the message of their errors, and whether the schema sees the mistake.
var wrong = []struct {
	text, where, says string
	schema            bool
}{
	{"shards: 1", "1:1", "no work", true},
	{"work: []", "2:7", "no work", true},
	{"work: [{calibrat: general}]", "2:9", `unknown key "calibrat"`, true},
	{"work: [{sizes: n=1}]", "2:8", "does not say what to do", true},
	{"work: [{tune: a.star, calibrate: general}]", "2:8", "both calibrate and tune", true},
	{"work: [{tune: [a.star, b.star]}]", "2:15", "takes one kernel script", true},
	{"work: [{calibrate: general, parts: 2}]", "2:36", "each device does all of it", false},
	{"work: [{calibrate: general, sizes: n=1}]", "2:36", "takes no sizes", false},
	{"work: [{calibrate: general, with: {device: 1}}]", "2:36", "set by the worker", false},
	{"work: [{tune: a.star, with: {shard: 0/2}}]", "2:30", "set by the worker", false},
	{"work: [{tune: a.star, parts: 0}]", "2:30", "not from 1 to 10000", true},
	{"shards: many\nwork: [{calibrate: general}]", "2:9", "expected an integer", true},
	{"name: '--'\nwork: [{calibrate: general}]", "2:7", "neither letters nor digits", false},
	{"work: [{calibrate: general}]\nslurm: {options: {array: 1-4}}", "3:19", "set by perf fleet submit", false},
	{"work: [{calibrate: general}]\nslurm: {options: {-p: gpu}}", "3:19", "no long option", false},
	{"work: [{calibrate: general}]\nslurm: {partition: gpu}", "3:9", "unknown key", true},
}

func TestParse(t *testing.T) {
	for _, text := range good {
		if _, err := Parse("c.yaml", []byte("version: 1\n"+text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, w := range wrong {
		_, err := Parse("c.yaml", []byte("version: 1\n"+w.text))
		if err == nil || !strings.HasPrefix(err.Error(), "c.yaml:"+w.where+":") || !strings.Contains(err.Error(), w.says) {
			t.Errorf("%s: %v", w.text, err)
		}
	}
	if _, err := Parse("c.yaml", []byte("version: 2\nwork: [{calibrate: general}]")); err == nil {
		t.Error("another version is accepted")
	}
}

func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("campaign.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("campaign.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		root, err := yamlfile.Parse("c.yaml", []byte("version: 1\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(yamltest.Plain(root, nil))
	}
	for _, text := range good {
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, w := range wrong {
		if err := validate(w.text); (err != nil) != w.schema {
			t.Errorf("%s: %v", w.text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range good {
		f.Add("version: 1\n" + text)
	}
	for _, w := range wrong {
		f.Add("version: 1\n" + w.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if file, err := Parse("c.yaml", []byte(text)); err == nil {
			file.Units(Shard{0, file.Shards})
		}
	})
}
