package tune

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/search"
)

// TestStart: a script whose first values a constraint refuses starts at the first that hold; where there are none, the space is empty, and the constraint is named.
func TestStart(t *testing.T) {
	const script = `b = lp.tunable("b", [16, 32, 64])
%s
knl = lp.make_kernel("{ [i]: 0 <= i < n }", "y[i] = 2*x[i]", [lp.GlobalArg("x, y", "float32", shape="n"), lp.ValueArg("n", "int32")])
knl = lp.split_iname(knl, "i", b, outer_tag="g.0", inner_tag="l.0")
`
	for _, tt := range []struct{ line, start, wrong string }{
		{``, "b=16", ""},
		{`lp.constraint("b > 40")`, "b=64", ""},
		{`lp.constraint("b > 16")`, "b=32", ""},
		{`lp.constraint("b > 100")`, "", ":2:15: the space is empty: no values of the tunables fit the constraints"},
		{`lp.constraint("c > 100")`, "", ":2:15: constraint: there is no tunable c before this"},
		{`x = `, "", ":2:"},
	} {
		path := filepath.Join(t.TempDir(), "k.star")
		if err := os.WriteFile(path, fmt.Appendf(nil, script, tt.line), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := openScript(t.Context(), path, map[string]int64{"n": 1024})
		switch {
		case tt.wrong != "":
			if err == nil || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("%s: %v, want %s", tt.line, err, tt.wrong)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.line, err)
		case s.Usual().String() != tt.start || search.Usual(s.Space()).String() != tt.start:
			t.Errorf("%s: it starts at %s, want %s", tt.line, s.Usual(), tt.start)
		}
	}
}
