package native

import "testing"

// TestGenerator: the texts are whole.
func TestGenerator(t *testing.T) {
	for seed := range int64(500) {
		f := random(seed)
		for _, tok := range tokens(f.text) {
			if tok.text == "%!" || tok.text == "!(" {
				t.Errorf("seed %d: %s", seed, f.text)
			}
		}
	}
}
