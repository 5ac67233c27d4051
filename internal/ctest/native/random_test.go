package native

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// batch is how many functions one program has.
const batch = 60

// figures say how many functions were tried, accepted and counted wrongly, and how many of them have a feature.
type figures struct {
	tried, accepted, wrong int
	long                   int // launches that are too long to compare
	byFeature              map[string]*[3]int
	refused                map[string]int
}

func (f *figures) add(fn *function, o outcome) {
	if f.byFeature == nil {
		f.byFeature, f.refused = map[string]*[3]int{}, map[string]int{}
	}
	is := [3]int{1, 0, 0}
	switch {
	case o.refused != nil:
		f.refused[class(o.refused)]++
	case o.wrong != "":
		is = [3]int{1, 1, 1}
	default:
		is = [3]int{1, 1, 0}
	}
	f.long += o.long
	f.tried, f.accepted, f.wrong = f.tried+is[0], f.accepted+is[1], f.wrong+is[2]
	for _, name := range fn.features {
		if f.byFeature[name] == nil {
			f.byFeature[name] = &[3]int{}
		}
		for i := range is {
			f.byFeature[name][i] += is[i]
		}
	}
}

func (f *figures) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d functions tried, %d accepted, %d wrong; %d launches too long to compare\n", f.tried, f.accepted, f.wrong, f.long)
	for _, name := range slices.Sorted(maps.Keys(f.byFeature)) {
		n := f.byFeature[name]
		fmt.Fprintf(&b, "  %-40s %5d tried %5d accepted %5d wrong\n", name, n[0], n[1], n[2])
	}
	for _, c := range slices.SortedFunc(maps.Keys(f.refused), func(a, b string) int { return cmp.Or(f.refused[b]-f.refused[a], strings.Compare(a, b)) }) {
		fmt.Fprintf(&b, "  refused %4d: %s\n", f.refused[c], c)
	}
	return b.String()
}

// seeds are those that the environment asks for, as in SEEDS=100-200, or the first ones.
func seeds(t *testing.T) (first, end int) {
	end = 30
	if os.Getenv("LONG") != "" {
		end = 2000
	}
	if text := os.Getenv("SEEDS"); text != "" {
		from, to, both := strings.Cut(text, "-")
		first, _ = strconv.Atoi(from)
		end = first + 1
		if both {
			end, _ = strconv.Atoi(to)
		}
	}
	return first, end
}

// TestRandom compares the counts of random functions with runs of them.
func TestRandom(t *testing.T) {
	if _, err := Compiler(); err != nil {
		t.Skip(err)
	}
	first, end := seeds(t)
	var mu sync.Mutex
	var all figures
	t.Run("seeds", func(t *testing.T) {
		for from := first; from < end; from += batch {
			t.Run(strconv.Itoa(from), func(t *testing.T) {
				t.Parallel()
				var list []*function
				for seed := from; seed < min(from+batch, end); seed++ {
					list = append(list, random(int64(seed)))
				}
				outcomes := check(t, list)
				mu.Lock()
				defer mu.Unlock()
				for i, o := range outcomes {
					all.add(list[i], o)
					if o.refused != nil && os.Getenv("REFUSED") != "" {
						t.Logf("seed %d refused: %v\n%s", from+i, o.refused, list[i].text)
					}
					if o.wrong != "" {
						t.Errorf("seed %d, --local %s --global %s:\n%s%s", from+i, numbers(list[i].local), strings.Join(list[i].global, ","), o.wrong, list[i].text)
					}
				}
			})
		}
	})
	t.Log(&all)
}
