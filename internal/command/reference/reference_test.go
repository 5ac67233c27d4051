package reference

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/internal/golden"
)

// TestPages: each page describes all that its tables have, its examples run, and docs/reference is what it says. UPDATE=1 writes it there.
func TestPages(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			p, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := p.WriteMarkdown(&text); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "../../../docs/reference/"+name+".md", text.String())
		})
	}
}

// noExample says why an entry has none.
var noExample = map[string]string{"f_cl_wall_time": "it is measured"}

// TestEveryEntryHasAnExample in sections whose examples run.
func TestEveryEntryHasAnExample(t *testing.T) {
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sections {
			for _, e := range s.Entries {
				if s.Runner != "" && e.Example == "" && noExample[e.Name] == "" {
					t.Errorf("%s: %s has no example", name, e.Name)
				}
			}
		}
	}
}

func TestSelect(t *testing.T) {
	p, err := Load("model")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Select("overlpa"); err == nil || !strings.Contains(err.Error(), "did you mean overlap?") {
		t.Errorf("%v", err)
	}
	if err := p.Select("overlap"); err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := p.WriteText(&text, 60); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if len([]rune(line)) > 61 {
			t.Errorf("longer than 60: %q", line)
		}
	}
	if !strings.Contains(text.String(), "gives 2.99") {
		t.Error(text.String())
	}
}

// TestSelectSection: the title of a section stands for all that it says, and an entry that is named too stays alone.
func TestSelectSection(t *testing.T) {
	p, err := Load("lp")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Select("matches", "split_iname"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"split_iname"}, p.Sections[1].names()); len(p.Sections) != 2 || diff != "" {
		t.Errorf("%d sections; %s", len(p.Sections), diff)
	}
	if s := p.Sections[0]; s.Title != "Matches" || s.Intro == "" || len(s.Entries) < 5 {
		t.Errorf("%q with %d entries, introduced by %q", s.Title, len(s.Entries), s.Intro)
	}
	if err := p.Select("mathces"); err == nil || !strings.Contains(err.Error(), "did you mean Matches?") {
		t.Errorf("%v", err)
	}
}

// TestJoin: a page that does not fit its tables is refused.
func TestJoin(t *testing.T) {
	for what, entries := range map[string][]*Entry{
		"init is not described":               {{Name: "min", Does: "x"}, {Name: "max", Does: "x"}, {Name: "unit", Does: "x"}},
		"other does not exist":                {{Name: "init", Does: "x"}, {Name: "min", Does: "x"}, {Name: "max", Does: "x"}, {Name: "unit", Does: "x"}, {Name: "other", Does: "x"}},
		"init lacks its meaning or its usage": {{Name: "init"}, {Name: "min", Does: "x"}, {Name: "max", Does: "x"}, {Name: "unit", Does: "x"}},
	} {
		s := &Section{Table: "model parameter", Entries: entries}
		err := (&Page{Sections: []*Section{s}}).join(s)
		if err == nil || err.Error() != what {
			t.Errorf("%v, want %s", err, what)
		}
	}
}
