package offload

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/samples"
	"gpuperf/search"
)

// configured is a line of testdata/h200_configurations.jsonl.gz: what perf scop run --random 20 printed of a nest, with elements of a type, at PolyBench's sizes.
type configured struct {
	Nest, Type, Set string
	Sizes           map[string]int64
	Runs            []struct {
		Result
		Config search.Config `json:"config"`
	}
}

// tally is how many runs ended in which way.
type tally struct{ runs, verified, compared, unjudged, refused, wrong int }

func (c *configured) tally() (t tally) {
	for _, r := range c.Runs {
		t.runs++
		switch {
		case r.Status == samples.WrongResult:
			t.wrong++
		case r.Status != samples.OK:
			t.refused++
		case r.Verified:
			t.verified++
		case r.Valid():
			t.compared++
		default:
			t.unjudged++
		}
	}
	return t
}

// TestRecordedConfigurations: the nests of the examples were run on an H200 at MINI and SMALL, in float and double, in the default and 20 random configurations each. It prints a table, and
// docs/howto/c-loops.md tells its last line.
func TestRecordedConfigurations(t *testing.T) {
	f, err := os.Open("testdata/h200_configurations.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all tally
	seen, different := map[string]bool{}, 0
	in := bufio.NewScanner(z)
	for in.Buffer(nil, 1<<24); in.Scan(); {
		var c configured
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s %s %s", c.Nest, c.Type, c.Set)
		set := slices.Index([]string{"MINI", "SMALL"}, c.Set)
		if sizes, ok := sizesOf[c.Nest]; !ok || set < 0 || !slices.Equal(slices.Sorted(slices.Values(sizes[max(set, 0)])), slices.Sorted(maps.Values(c.Sizes))) || seen[name] {
			t.Errorf("%s %v: there is no such nest, or it is there twice", name, c.Sizes)
		}
		seen[name] = true
		configs := map[string]bool{}
		for i, r := range c.Runs {
			slices.SortFunc(r.Config, func(a, b search.Pick) int { return cmp.Compare(a.Choice, b.Choice) })
			configs[fmt.Sprint(r.Config)] = true
			if (len(r.Config) == 0) != (i == 0) {
				t.Errorf("%s: the first run, and no other, is by default", name)
			}
			if r.Status == samples.OK && !r.Valid() && r.Why == "" {
				t.Errorf("%s: a run is not judged, and nothing says why", name)
			}
		}
		different += len(configs)
		one := c.tally()
		if one.runs != 21 || one.wrong > 0 {
			t.Errorf("%s: %+v", name, one)
		}
		t.Logf("%-22s %-7s %-6s %+v", c.Nest, c.Type, c.Set, one)
		all = tally{all.runs + one.runs, all.verified + one.verified, all.compared + one.compared, all.unjudged + one.unjudged, all.refused + one.refused, all.wrong + one.wrong}
	}
	if err := in.Err(); err != nil || len(seen) != 4*len(sizesOf) {
		t.Fatalf("%d combinations, %v", len(seen), err)
	}
	said := fmt.Sprintf("Of %d runs of %d configurations %d equal the interpretation of the text, %d equal it at smaller sizes and plainer kernels at their own, %d are not judged, %d were refused by the device and %d are wrong",
		all.runs, different, all.verified, all.compared, all.unjudged, all.refused, all.wrong)
	t.Log(said)
	page, err := os.ReadFile("../../docs/howto/c-loops.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), said) {
		t.Errorf("docs/howto/c-loops.md does not say: %s", said)
	}
}
