package lex_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/internal/lex"
	"gpuperf/internal/throw"
)

var languages = map[string]*lex.Language{
	"plain": {Symbols: []string{"<=", "<", "(", ")", "≤", "&&"}, Synonyms: map[string]string{"≤": "<=", "&&": "and"}, Number: lex.Digits, Primes: true},
	"lines": {Symbols: []string{"...", "=", "+", "(", ")", "."}, Number: lex.Decimal, Lines: true, EndText: "the end"},
	"text":  {Symbols: []string{"+", "."}, Strings: true},
}

func TestLex(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"plain", "", "end"},
		{"plain", "a1 <=12 # b", "name:a1 symbol:<= number:12 end"},
		{"plain", "a' ≤ b && c", "name:a' symbol:<= name:b name:and name:c end"},
		{"plain", "\ufeff1.", `1:3: unexpected character '.'`},
		{"plain", "é\nä", `1:1: unexpected character 'é'`},
		{"plain", "(\n\\", `2:1: unexpected character '\\'`},
		{"plain", "a\n\ufeff", `2:1: unexpected character '\ufeff'`},
		{"lines", "x = 1.5e3 + \\ \n .5...\n", "name:x symbol:= number:1.5e3 symbol:+ number:.5 symbol:... line end"},
		{"lines", "(a\nb)\n\nc)\n", "symbol:( name:a name:b symbol:) line line name:c symbol:) line end"},
		{"lines", "1..2 2e 3e+ 4.e-1", "number:1 symbol:. number:.2 number:2 name:e number:3 name:e symbol:+ number:4.e-1 end"},
		{"lines", "a\\b", `1:2: unexpected character '\\'`},
		{"text", `a "b\"c" + ` + "`\n`", `name:a string:b"c symbol:+ string:` + "\n" + ` end`},
		{"text", `"ab`, "1:1: the string has no end"},
		{"text", `"\xff"`, `1:1: no string: "\xff"`},
	} {
		toks, err := languages[c.language].Lex(c.text)
		got := fmt.Sprint(err)
		if err == nil {
			var list []string
			for _, tok := range toks {
				kind := []string{"end", "name", "number", "string", "symbol", "line"}[tok.Kind]
				switch tok.Kind {
				case lex.End, lex.Line:
					list = append(list, kind)
				default:
					list = append(list, kind+":"+tok.Text)
				}
				if tok.Kind == lex.Number && !strings.HasPrefix(c.text[tok.At:], tok.Text) {
					t.Errorf("%q: %s is not at %d", c.text, tok.Text, tok.At)
				}
			}
			got = strings.Join(list, " ")
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %q: got %s, want %s", c.language, c.text, got, c.want)
		}
	}
}

func TestCursor(t *testing.T) {
	parse := func(text string) (n int, err error) {
		defer throw.Catch(&err)
		c, err := languages["lines"].NewCursor(text)
		if err != nil {
			return 0, err
		}
		for ; c.Accept("a") || c.Accept("+"); n++ {
		}
		if last := c.Peek(100); last.Kind != lex.End || last.Text != "the end" {
			t.Errorf("the last token is %v", last)
		}
		if c.Tok().Kind != lex.End {
			c.FailHint(c.Tok().At, "write a or +", "found %s", c.Tok().Text)
		}
		return n, nil
	}
	if n, err := parse("a + a"); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := parse("a + 1"); err == nil || !strings.HasPrefix(err.Error(), "1:5: found 1") || !strings.Contains(err.Error(), "write a or +") {
		t.Errorf("error is %v", err)
	}
}

func TestIsName(t *testing.T) {
	for text, want := range map[string]bool{"": false, "a": true, "_1": true, "1a": false, "a-b": false, "é": false} {
		if lex.IsName(text) != want {
			t.Errorf("IsName(%q) is %v", text, !want)
		}
	}
}
