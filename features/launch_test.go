package features

import (
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/kernel/script"
	"gpuperf/launch"
)

// Features of StaticClass are those of package launch on the device of the options; their errors name the kernel and the feature once.
func TestStatic(t *testing.T) {
	variants, err := script.Exec("copy.star", `
knl = lp.make_kernel("{[g,l]: 0<=g<320 and 0<=l<96}", "b[g,l] = a[g,l]",
    [lp.GlobalArg("a", "float32", shape="320,96"), lp.GlobalArg("b", "float32", shape="320,96")])
knl = lp.tag_inames(knl, "g:g.0, l:l.0")
`)
	if err != nil {
		t.Fatal(err)
	}
	h200, _ := facts.Named("NVIDIA H200")
	for _, test := range []struct {
		feature string
		device  *facts.Device
		want    float64
		says    string
	}{
		{"f_static_groups", h200, 320, ""},
		{"f_static_groups", nil, 320, ""},
		{"f_static_accesses", h200, 2 * 3 * 3 * 132, ""}, // the busiest multiprocessor has three groups
		{"f_static_accesses", nil, 0, "kernel knl: feature f_static_accesses: "},
	} {
		s, err := Count(variants[0].Kernel, Options{Device: test.device})
		if err != nil {
			t.Fatal(err)
		}
		id, err := ParseID(test.feature)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Value(id, nil)
		if test.says == "" && (err != nil || got != test.want) {
			t.Errorf("%s is %v, want %v (%v)", test.feature, got, test.want, err)
		}
		if test.says != "" && (err == nil || !strings.HasPrefix(err.Error(), test.says) || strings.Count(err.Error(), test.feature) != 1) {
			t.Errorf("%s: %v, want an error with %q", test.feature, err, test.says)
		}
	}
	for _, total := range launch.Totals() {
		id, err := ParseID(total.Feature())
		if err != nil {
			t.Error(err)
			continue
		}
		s := &Statistics{}
		if text := strings.Join(s.Explain(id), ""); text != total.Doc {
			t.Errorf("%s is explained as %q", id, text)
		}
	}
}
