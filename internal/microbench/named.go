package microbench

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/source"
)

// For is the filter with numbers in the place of products such as 2*MP and MP/2, whose names stand for what a device has: groups:2*MP is groups:264 on a device with
// 132 multiprocessors.
func (f Filter) For(of map[string]int64) (Filter, error) {
	f.Args = slices.Clone(f.Args)
	for i, a := range f.Args {
		var values []string
		for _, v := range a.Values {
			n, is, err := product(v, of)
			if err != nil {
				return Filter{}, err
			}
			if is {
				v = strconv.FormatInt(n, 10)
			}
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		f.Args[i].Values = values
	}
	return f, nil
}

// product is the value of a product, or of a name by a number, rounded up; is is false where a text is no such.
func product(text string, of map[string]int64) (n int64, is bool, err error) {
	const most = 1 << 40 // elements: beyond the memory of any device
	up, down, divided := strings.Cut(text, "/")
	factors := strings.Split(up, "*")
	if _, named := of[text]; len(factors) == 1 && !divided && !named {
		return 0, false, nil
	}
	n = 1
	for _, x := range factors {
		v, named := of[x]
		if !named {
			if v, err = strconv.ParseInt(x, 10, 64); err != nil || v < 1 || v > most {
				return 0, false, source.New("", text, 0, "%q is neither a number nor what a device has", x).
					WithHint("a size is a number or a product with one of %s: groups:2*MP", strings.Join(slices.Sorted(maps.Keys(of)), ", "))
			}
		}
		if n *= v; n > most {
			return 0, false, source.New("", text, 0, "%s is too large", text)
		}
	}
	if divided {
		by, err := strconv.ParseInt(down, 10, 64)
		if err != nil || by < 1 {
			return 0, false, source.New("", text, len(up)+1, "%q is no number to divide by", down)
		}
		n = max((n+by-1)/by, 1)
	}
	return n, true, nil
}
