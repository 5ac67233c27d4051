package format

import (
	"strings"
	"testing"
)

func TestParseCases(t *testing.T) {
	for _, c := range []struct{ texts, want string }{
		{"", ""},
		{"n=4096", "n=4096"},
		{"n=1,m=2", "m=2,n=1"},
		{"n=1 m=2", "m=2,n=1"},
		{"n=1 n=2", "n=1 n=2"},
		{"n=1,2", "n=1 n=2"},
		{"n=1,2,m=3,4", "m=3,n=1 m=4,n=1 m=3,n=2 m=4,n=2"},
		{"m=64 n=1 n=2", "m=64,n=1 m=64,n=2"},
		{"n=1,m=2 n=3,m=4", "m=2,n=1 m=4,n=3"},
		{"n=1k,2^20,m=1Mi", "m=1048576,n=1000 m=1048576,n=1048576"},
	} {
		cases, err := ParseCases(strings.Fields(c.texts), 1)
		if err != nil {
			t.Errorf("%q: %v", c.texts, err)
			continue
		}
		var got []string
		for _, at := range cases {
			got = append(got, Sizes(at))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: got %q, want %q", c.texts, strings.Join(got, " "), c.want)
		}
	}
	for _, text := range []string{"n", "n=", "=3", "n=x", "n=1,n=2", "n=9223372036854775808", "n=-5", "n=0", "n=4,0"} {
		if _, err := ParseCases([]string{text}, 1); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
