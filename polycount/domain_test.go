package polycount_test

import (
	"testing"

	"gpuperf/polycount"
)

// TestQuotients: a quotient in a domain is a rational number and < a distance of 1 or more, as isl reads them; floor(...)
// and // round.
func TestQuotients(t *testing.T) {
	for _, c := range [][2]string{
		{"{[i]: 0<=i<n/16}", "{[i]: 0<=i and 16*i + 16 <= n}"},
		{"{[i,j]: 0<=i,j<n/16 and i < (m+15)/4 - n/6+1}", "{[i,j]: 0<=i,j and 16i + 16 <= n and 16j + 16 <= n and 12i + 12 <= 3m+45-2n+12}"},
		{"{[i]: 0<=i<=n/16-1 or -n/2 <= i <= -1}", "{[i]: 0<=i and 16i <= n-16 or -n <= 2i and i <= -1}"},
		{"[n] -> {[i]: exists (k: i = n/3 + 2k) and 0 <= i < n}", "[n] -> {[i]: exists (k: 3i = n + 6k) and 0 <= i < n}"},
		{"{[i]: 0 <= i <= floor((n-1)/16) and i < 2*n/16}", "{[i]: 0 <= i <= (n-1)//16 and 8i + 8 <= n}"},
		{"{[i]: 0<=i<n and (i < n/4 or i > n/2)}", "{[i]: 0<=i<n and (4i + 4 <= n or 2i >= n + 2)}"},
		{"{[i,j]: -n/2 < i,j < -m + n/2}", "{[i,j]: -n <= 2i - 2 and -n <= 2j - 2 and 2i + 2 <= n - 2m and 2j + 2 <= n - 2m}"},
		{"{[i]: n/2 > i > -m, -n/3}", "{[i]: n >= 2i + 2 and i >= 1 - m and 3i >= 3 - n}"},
	} {
		a, err := polycount.ParseDomain(c[0])
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		b, err := polycount.ParseDomain(c[1])
		if err != nil {
			t.Fatal(err)
		}
		if same, err := a.IsEqual(b); err != nil || !same {
			t.Errorf("%s is %s, want %s (%v)", c[0], a, b, err)
		}
	}
}

func FuzzDomain(f *testing.F) {
	for _, s := range []string{"{[i]: 0<=i<n/16}", "{[i]: i/ }", "(/2", "{[i]: 0<=i<floor(n/2)/3}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 60 {
			polycount.ParseDomain(text)
		}
	})
}
