package device

import (
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/samples"
)

func TestProgramFile(t *testing.T) {
	dev := samples.Fingerprint{Name: "d", Driver: "1"}
	job := Job{Source: "source", Entry: "axpy", Global: []int64{64}}
	seen := map[string]string{}
	add := func(what string, dev samples.Fingerprint, job Job) {
		file := ProgramFile("x", dev, job)
		if old := seen[file]; old != "" {
			t.Errorf("%s and %s have one file", what, old)
		}
		seen[file] = what
	}
	add("first", dev, job)
	add("driver", samples.Fingerprint{Name: "d", Driver: "2"}, job)
	add("parts", samples.Fingerprint{Name: "d1", Driver: ""}, job)
	options, source := job, job
	options.Options = "-cl-mad-enable"
	source.Source += "\n"
	add("options", dev, options)
	add("source", dev, source)
	sized := Job{Source: "source", Entry: "axpy", Global: []int64{128}}
	if !strings.HasPrefix(ProgramFile("x", dev, sized), "x"+string(filepath.Separator)) || ProgramFile("x", dev, sized) != ProgramFile("x", dev, job) {
		t.Error("the size changes the program's file")
	}
}
