package polycount

import (
	"errors"
	"testing"

	"gpuperf/internal/source"
)

// parseError fails the test for an error that has no place, unless it is about limits.
func parseError(t *testing.T, text string, err error) {
	t.Helper()
	var place *source.Error
	if !errors.As(err, &place) && !errors.Is(err, ErrOverflow) && !errors.Is(err, ErrBudget) {
		t.Fatalf("%q: %v has no place", text, err)
	}
}

func FuzzParseSet(f *testing.F) {
	for _, s := range []string{
		"{ [i] : i mod 2 = 0 }", "[n] -> { [i,j] : 0 <= i,j < n; [i,j] : exists (k : i = 3k + j) or not (j > 2 and i != 1) }",
		"{ S[i, j = 2*i] : floor((i+1)/2) <= min(i, 3) - 4i % 3 }", "{ : false }", "[n] -> { : n >= -1 }", "{ [i] : exists k, l = 2 : k + l = i }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		s, err := ParseSet(text)
		if err != nil {
			parseError(t, text, err)
			return
		}
		back, err := ParseSet(s.String())
		if err != nil {
			t.Fatalf("%q prints as %v: %v", text, s, err)
		}
		if back.String() != s.String() {
			// The order of constraints may settle only the second time; the points may not change.
			if eq, err := back.IsEqual(s); err == nil && !eq {
				t.Fatalf("%q prints as %v, which reads as %v", text, s, back)
			}
		}
	})
}

func FuzzParseUnionMap(f *testing.F) {
	for _, s := range []string{
		"{ A[i] -> x[2i]; B[i,j] -> x[i + j] : exists (k : i = 3k) }", "[n] -> { [i] -> [i mod n] }", "{ A[i] -> B[i // 2, j] : 0 <= j < i/3; A[i] -> B[j, i] }",
		"{ }", "[n] -> { S[] -> [n, n + 1] : n > 0 }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		u, err := ParseUnionMap(text)
		if err != nil {
			parseError(t, text, err)
			return
		}
		back, err := ParseUnionMap(u.String())
		if err != nil {
			t.Fatalf("%q prints as %v: %v", text, u, err)
		}
		if len(back.parts) != len(u.parts) {
			t.Fatalf("%q prints as %v, which reads as %v", text, u, back)
		}
		for i, m := range u.parts {
			if back.parts[i].String() == m.String() {
				continue
			}
			if eq, err := back.parts[i].IsEqual(m); err == nil && !eq {
				t.Fatalf("%q prints as %v, which reads as %v", text, u, back)
			}
		}
	})
}

func FuzzParsePoly(f *testing.F) {
	for _, s := range []string{
		"[n] -> { 1/2*n + 1/2*n^2 : n > 0 }", "{ 5 }", "[n,m] -> { (n mod 3)*m - 2*floor((n + 1)/2)^2 : n > m; 7 : n < m }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 100 {
			return
		}
		p, err := ParsePoly(text)
		if err != nil {
			parseError(t, text, err)
			return
		}
		back, err := ParsePoly(p.String())
		if err != nil {
			t.Fatalf("%q prints as %v: %v", text, p, err)
		}
		if eq, err := back.Equal(p); err == nil && !eq {
			t.Fatalf("%q prints as %v, which reads as %v", text, p, back)
		}
	})
}

func FuzzParseAffine(f *testing.F) {
	f.Add("16*i + floor((n+1)/2) - (j mod 4)")
	f.Add("-2(3i - n) // 5")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		a, err := ParseAffine(text)
		if err != nil {
			parseError(t, text, err)
			return
		}
		back, err := ParseAffine(a.String())
		if err != nil || !back.Equal(a) {
			t.Fatalf("%q prints as %v, which reads as %v (%v)", text, a, back, err)
		}
	})
}
