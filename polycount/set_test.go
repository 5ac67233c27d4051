package polycount

import (
	"strings"
	"testing"
)

func mustSet(t testing.TB, text string) *Set {
	t.Helper()
	s, err := ParseSet(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func mustAffine(t testing.TB, text string) Affine {
	t.Helper()
	a, err := ParseAffine(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

func TestPrintedSetParsesBack(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"{ [i] : 0 <= i < 10 }", "{ [i] : 0 <= i <= 9 }"},
		{"[n,m] -> { [i,j] : 0 <= i < n and 0 <= j < m }", "[n, m] -> { [i, j] : 0 <= i < n and 0 <= j < m }"},
		{"[n] -> { [i] : i mod 2 = 1 and n > 0 }", "[n] -> { [i] : i mod 2 = 1 and n > 0 }"},
		{"[n] -> { : n > 0 }", "[n] -> { : n > 0 }"},
		{"{ [i] : exists (j : i = 3j) }", "{ [i] : i mod 3 = 0 }"},
		{"[n] -> { [i] : 0 <= 16i < n }", "[n] -> { [i] : i >= 0 and 16*i < n }"},
	} {
		s := mustSet(t, c.in)
		if s.String() != c.want {
			t.Errorf("%s prints as\n  %v, want\n  %s", c.in, s, c.want)
		}
		back, err := ParseSet(s.String())
		if err != nil {
			t.Fatal(err)
		}
		if eq, err := back.IsEqual(s); err != nil || !eq {
			t.Errorf("%v does not parse back: %v %v", s, back, err)
		}
	}
}

func TestImplies(t *testing.T) {
	s := mustSet(t, "[n] -> { [io,ii] : 0 <= ii < 16 and 0 <= 16io + ii < n and n mod 16 = 0 }")
	p, err := s.Project("io")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(p)
	lo, hi, err := p.Bounds("io")
	t.Log(lo, hi, err)
	box := mustSet(t, "[n] -> { [io,ii] : 0 <= ii < 16 and 0 <= io <= floor((n-1)/16) and n mod 16 = 0 }")
	ok, err := box.Implies(GE(mustAffine(t, "n - 1"), mustAffine(t, "16*io + ii")))
	if err != nil || !ok {
		t.Errorf("guard not implied: %v", err)
	}
	box = mustSet(t, "[n] -> { [io,ii] : 0 <= ii < 16 and 0 <= io <= floor((n-1)/16)}")
	ok, err = box.Implies(GE(mustAffine(t, "n - 1"), mustAffine(t, "16*io + ii")))
	if err != nil || ok {
		t.Errorf("guard implied without the assumption: %v", err)
	}
}

func TestProjectOut(t *testing.T) {
	for _, c := range []struct{ set, out, want string }{
		{"[n] -> { S[i,j] : 0 <= i < n and j = 2i }", "i", "[n] -> { S[j] : 0 <= j < 2n and j mod 2 = 0 }"},
		{"{ [i,j,k] : 3i + 5j = k and 0 <= i,j <= 1 }", "i j", "{ [k] : k = 0 or k = 3 or k = 5 or k = 8 }"},
		{"{ [i,j] : j >= 2i }", "j", "{ [i] }"},
	} {
		got := must(mustSet(t, c.set).ProjectOut(strings.Fields(c.out)...))
		if !must(got.IsEqual(mustSet(t, c.want))) {
			t.Errorf("%s without %s: %v, want %s", c.set, c.out, got, c.want)
		}
	}
	if _, err := mustSet(t, "{ [i] }").ProjectOut("j"); err == nil {
		t.Error("a dimension that is not there is projected out")
	}
}
