package exchange

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadRecordsAreDropped spoils one time of a file in every way: the others are kept, and what is left out is named with its place.
func TestBadRecordsAreDropped(t *testing.T) {
	for _, c := range []struct {
		file, time string // the text of a time in it, with what stands before it
		line       int
		bad        []string
		json       bool
	}{
		{"ncu.csv", `"9.92"`, 8, []string{"0", "-1", "nan", "inf", "1e300", ""}, false},
		{"nsys.csv", ",1504,", 9, []string{"0", "-3", "nan", "inf", "1e300", "x"}, false},
		{"kernel_tuner.json", "0.625", 0, []string{"0", "-1", "NaN", "Infinity", "-Infinity", "1e300", "1e999", `"?"`, "[]", "null"}, true},
		{"t4.json", "0.25", 0, []string{"0", "-1", "NaN", "Infinity", "1e300", "1e999", "[]"}, true},
	} {
		path := filepath.Join("testdata", c.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, all, _, err := Import(path, "")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.time) {
			t.Fatalf("%s has no %s:\n%s", c.file, c.time, text)
		}
		for _, bad := range c.bad {
			spoilt := strings.Replace(c.time, strings.Trim(c.time, `",`), bad, 1)
			to := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(to, []byte(strings.ReplaceAll(string(text), c.time, spoilt)), 0o644); err != nil {
				t.Fatal(err)
			}
			_, records, dropped, err := Import(to, "")
			if err != nil || len(dropped) == 0 && bad != "" || len(records) < len(all)-1 {
				t.Errorf("%s with %s: %d of %d records, dropped %v, %v", c.file, spoilt, len(records), len(all), dropped, err)
				continue
			}
			for _, r := range records {
				for _, s := range r.Trials {
					if !(s > 0) {
						t.Errorf("%s with %s: a time of %g", c.file, spoilt, s)
					}
				}
			}
			for _, d := range dropped {
				if place := fmt.Sprintf("%s:", c.file); !strings.Contains(d.Error(), place) || c.line > 0 && !strings.Contains(d.Error(), fmt.Sprintf("%s%d:", place, c.line)) {
					t.Errorf("%s with %s: no place in %v", c.file, spoilt, d)
				}
			}
		}
	}
}

// TestMetricsThatAreNoNumbers: what an observer could not see is left out, with a word, and the time is kept.
func TestMetricsThatAreNoNumbers(t *testing.T) {
	_, records, dropped, err := Import("testdata/nan.json", "")
	if err != nil || len(records) != 2 || len(dropped) != 1 || !strings.Contains(dropped[0].Error(), "nan.json:4:1") || !strings.Contains(dropped[0].Error(), "nvml_energy, nvml_power") {
		t.Errorf("%d records, %v, %v", len(records), dropped, err)
	}
	_, records, dropped, err = Import("testdata/zero.json", "")
	if err != nil || len(records) != 3 || len(dropped) != 1 || !strings.Contains(dropped[0].Error(), `zero.json:4:1`) || !strings.Contains(dropped[0].Error(), `configuration "64,4": 0 ms is no time`) {
		t.Errorf("%d records, %v, %v", len(records), dropped, err)
	}
}

// TestEntryThatIsNoObject: only that one is left out.
func TestEntryThatIsNoObject(t *testing.T) {
	text, err := os.ReadFile("testdata/zero.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cache.json")
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"64,4": {`, `"7": 5, "64,4": {`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, records, dropped, err := Import(path, "")
	if err != nil || len(records) != 3 || len(dropped) != 2 || !strings.Contains(errors.Join(dropped...).Error(), `configuration "7": it is no object`) {
		t.Errorf("%d records, %v, %v", len(records), dropped, err)
	}
}

// TestPlainJSON: words in texts stay as they are.
func TestPlainJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": NaN, "b": [-Infinity,Infinity], "NaN": "x \" NaN", "c": -1}`: `{"a": "NaN", "b": ["-Infinity","Infinity"], "NaN": "x \" NaN", "c": -1}`,
		`{"\\": NaN}`: `{"\\": "NaN"}`,
	} {
		if got := plainJSON(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
