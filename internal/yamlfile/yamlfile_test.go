package yamlfile_test

import (
	"errors"
	"strings"
	"testing"

	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
)

// TestPosOf finds the word "mark" wherever it stands and asks for its place.
func TestPosOf(t *testing.T) {
	for _, text := range []string{
		"a: mark\n",
		"a:   x mark # mark\n",
		"é: ü mark\n",
		"a: 'x  mark'\n",
		"a: \"x mark\"\n",
		"a: |\n  one\n    two mark\n",
		"a: >-\n  one\n\n  two mark three\n",
		"a: one\n  two\n  mark\n",
		"a: {b: [x, 'y mark']}\n",
		"a:\n  - b: c mark\n",
	} {
		root, err := yamlfile.Parse("f.yaml", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		found := false
		var visit func(n *yamlfile.Node)
		visit = func(n *yamlfile.Node) {
			for _, e := range n.Entries {
				visit(e.Value)
			}
			for _, i := range n.Items {
				visit(i)
			}
			at := strings.Index(n.Text, "mark")
			if n.Kind != yamlfile.Scalar || at < 0 {
				return
			}
			found = true
			got := n.PosOf(len([]rune(n.Text[:at])))
			if want := source.PosAt(text, strings.Index(text, "mark")); got != want {
				t.Errorf("%q: mark stands at %v, want %v", text, got, want)
			}
		}
		visit(root)
		if !found {
			t.Errorf("%q: no mark", text)
		}
	}
}

func TestPosOfFallsBack(t *testing.T) {
	root, err := yamlfile.Parse("", []byte("a: \"x\\ty mark\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := root.Entries[0].Value.PosOf(4); got != (source.Pos{Line: 1, Column: 4}) {
		t.Errorf("got %v, want the start of the scalar", got)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: &x 1\n", "f.yaml:1:4: anchors"},
		{"a: !!int 1\n", "f.yaml:1:4: anchors"},
		{"a: 1\n<<: {b: 2}\n", "f.yaml:2:1: "},
		{"? [a]\n: 1\n", "f.yaml:2:1:"},
		{"a: 1\n---\nb: 1\n", "f.yaml:3:1: a second document"},
		{"a: [1\n", "f.yaml:1:"},
		{"a: \xff\n", "the file is not text in UTF-8"},
		{"a: b\rc\n", "f.yaml:1:5: a carriage return"},
		{"a: b\r\nc: [\r\n", "f.yaml:2:"},
		{"a: \x00\n", "the file is not text in UTF-8"},
		{strings.Repeat("[", 100), "more than 64 brackets"},
		{strings.Repeat(" ", yamlfile.MaxSize+1), "larger than"},
	} {
		_, err := yamlfile.Parse("f.yaml", []byte(c.text))
		var e *source.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q gave %v, want %q", c.text, err, c.want)
		}
	}
}

func TestDecode(t *testing.T) {
	var into struct {
		Value float64  `yaml:"value"`
		Names []string `yaml:"names"`
	}
	if err := yamlfile.Decode("f.yaml", []byte("\ufeffvalue: 1e-3\nnames: [a]\n"), &into); err != nil || into.Value != 1e-3 || into.Names[0] != "a" {
		t.Errorf("%+v, %v", into, err)
	}
	for _, c := range []struct{ text, want string }{
		{"value: 1\nname: [a]\n", "f.yaml:2:1: unknown key \"name\"\n    name: [a]\n    ^\n    did you mean names?"},
		{"value: [1]\n", "f.yaml:1:8:"},
		{"\ufeff- 1\n", "f.yaml:1:1: expected a map"},
	} {
		if err := yamlfile.Decode("f.yaml", []byte(c.text), &into, "value", "names"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q gave\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

// FuzzParse: whatever the text, a tree or an error with its place; every place lies in the text.
func FuzzParse(f *testing.F) {
	f.Add("a: {b: [1, x], c: |\n  text\n}\n")
	f.Add("a: >-\n  one\n\n  two\nb: \"\\u00e9\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		root, err := yamlfile.Parse("f.yaml", []byte(text))
		if err != nil {
			var e *source.Error
			if !errors.As(err, &e) {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		lines := strings.Count(text, "\n") + 1
		var visit func(n *yamlfile.Node)
		visit = func(n *yamlfile.Node) {
			for i := range n.Text {
				if p := n.PosOf(i); p.Line < 1 || p.Line > lines+1 {
					t.Fatalf("line %d of %d", p.Line, lines)
				}
				if i > 50 {
					break
				}
			}
			for _, e := range n.Entries {
				visit(e.Key)
				visit(e.Value)
			}
			for _, i := range n.Items {
				visit(i)
			}
		}
		visit(root)
	})
}
