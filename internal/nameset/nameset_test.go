package nameset

import (
	"slices"
	"testing"
)

func TestSets(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want []string
	}{
		{"sorted", Sorted([]string{"k", "i", "k", "j"}), []string{"i", "j", "k"}},
		{"sorted already", Sorted([]string{"i", "j"}), []string{"i", "j"}},
		{"sorted, empty", Sorted(nil), nil},
		{"add", Add([]string{"j", "m"}, "k", "j", "a"), []string{"a", "j", "k", "m"}},
		{"remove", Remove([]string{"k", "i", "j"}, "i", "x"), []string{"k", "j"}},
		{"intersect", Intersect([]string{"k", "i", "j"}, []string{"j", "k", "x"}), []string{"k", "j"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	list := []string{"b", "a"}
	Sorted(list)
	Remove(list, "b")
	Intersect(list, []string{"a"})
	if !slices.Equal(list, []string{"b", "a"}) {
		t.Errorf("the argument became %v", list)
	}
	if IsSet([]string{"a", "a"}) || IsSet([]string{"b", "a"}) || !IsSet([]string{"a", "b"}) {
		t.Error("IsSet takes repeated or unsorted names for a set, or a set for none")
	}
	if got := Text(nil) + "; " + Text([]string{"a", "b"}); got != "none; a, b" {
		t.Errorf("text %q", got)
	}
}
