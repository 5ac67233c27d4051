package polycount

import (
	"math/rand"
	"testing"
)

// Sets that are written alike have one form and one hash; others that have points have other hashes.
func TestForm(t *testing.T) {
	forms := map[uint64]*Set{}
	for seed := range int64(200) {
		text := randomSet(rand.New(rand.NewSource(seed)))
		a, err := ParseSet(text)
		if err != nil {
			continue
		}
		b, err := ParseSet(text)
		if err != nil || !a.SameForm(b) || a.Hash() != b.Hash() {
			t.Fatalf("%s: twice the same text, and not the same form: %v", text, err)
		}
		if old := forms[a.Hash()]; old != nil && len(a.Disjuncts()) > 0 && !old.SameForm(a) {
			t.Errorf("%s and %s have one hash", a, old)
		}
		forms[a.Hash()] = a
	}
	if len(forms) < 50 {
		t.Errorf("only %d forms", len(forms))
	}
}
