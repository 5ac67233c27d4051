package microbench

import (
	"strings"
	"testing"

	"gpuperf/models"
)

// Sizes that are products with what a device has become numbers; others stay what they are.
func TestFor(t *testing.T) {
	for text, want := range map[string]string{
		"x groups:2*MP,264":                  "x groups:264",
		"x groups:MP/2":                      "x groups:66",
		"x groups:MP,MP*4":                   "x groups:132,528",
		"x groups:3*MP/8":                    "x groups:50", // rounded up
		"x dtype:float32 n:8":                "x dtype:float32 n:8",
		"x groups:2*mp":                      `"mp" is neither a number nor what a device has`,
		"x groups:2*3*":                      `"" is neither`,
		"x groups:MP/0":                      `"0" is no number to divide by`,
		"x groups:9999999999*MP*MP*MP*MP*MP": "is too large",
	} {
		f, err := ParseFilter([]string{text}, models.Superset)
		if err == nil {
			f, err = f.For(map[string]int64{"MP": 132})
		}
		got := f.String()
		if err != nil {
			got = err.Error()
		}
		if got != want && !(err != nil && strings.Contains(got, want)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
