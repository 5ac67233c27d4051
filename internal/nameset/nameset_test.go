package nameset_test

import (
	"slices"
	"testing"

	"gpuperf/internal/nameset"
)

func TestSets(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want []string
	}{
		{"sorted", nameset.Sorted([]string{"k", "i", "k", "j"}), []string{"i", "j", "k"}},
		{"sorted already", nameset.Sorted([]string{"i", "j"}), []string{"i", "j"}},
		{"sorted, empty", nameset.Sorted(nil), nil},
		{"add", nameset.Add([]string{"j", "m"}, "k", "j", "a"), []string{"a", "j", "k", "m"}},
		{"remove", nameset.Remove([]string{"k", "i", "j"}, "i", "x"), []string{"k", "j"}},
		{"intersect", nameset.Intersect([]string{"k", "i", "j"}, []string{"j", "k", "x"}), []string{"k", "j"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	list := []string{"b", "a"}
	nameset.Sorted(list)
	nameset.Remove(list, "b")
	nameset.Intersect(list, []string{"a"})
	if !slices.Equal(list, []string{"b", "a"}) {
		t.Errorf("the argument became %v", list)
	}
	if nameset.IsSet([]string{"a", "a"}) || nameset.IsSet([]string{"b", "a"}) || !nameset.IsSet([]string{"a", "b"}) {
		t.Error("IsSet takes repeated or unsorted names for a set, or a set for none")
	}
	if got := nameset.Text(nil) + "; " + nameset.Text([]string{"a", "b"}); got != "none; a, b" {
		t.Errorf("text %q", got)
	}
}
