package variants

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// page is the text of a document, with one space between words.
type page struct{ name, text string }

func pageOf(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return page{name, strings.Join(strings.Fields(string(text)), " ")}
}

// says is an error if the document has other figures than recordings give.
func (p page) says(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(p.text, text) {
		t.Errorf("docs/%s does not say: %s", p.name, text)
	}
}

// threeDigits words seconds as tables of documents do: 72.0 µs, 387 µs, 2.99 ms.
func threeDigits(seconds float64) string {
	v, unit := 1e6*seconds, "µs"
	if v >= 999.5 {
		v, unit = v/1e3, "ms"
	}
	digits := 0
	for _, limit := range []float64{99.95, 9.995} {
		if v < limit {
			digits++
		}
	}
	return fmt.Sprintf("%.*f %s", digits, v, unit)
}
