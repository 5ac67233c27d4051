package cpp_test

import (
	"strings"
	"testing"

	"gpuperf/cfront/cpp"
)

// FuzzRun: whatever the text, it ends in an error, or as tokens that are the same when their text is cut again.
func FuzzRun(f *testing.F) {
	f.Add("#define F(x, ...) x##1 #x __VA_ARGS__\nF(a, b \"c\" 1.5e-3f)\n#if 1 + 2 > F(2)\n#else\n#endif\n")
	f.Add("#include \"h.h\"\n#pragma unroll 4\na\\\nb /* c */ 'd' // e\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, tokens, err := run(t, text, map[string]string{"h.h": "#pragma once\n#define H h\n"})
		if err != nil {
			return
		}
		var want []cpp.Token
		var b strings.Builder
		for _, tok := range tokens {
			if tok.Kind == cpp.Pragma {
				continue
			}
			want = append(want, tok)
			b.WriteString(tok.Text + " ")
		}
		got := cpp.Lex("", b.String())
		if len(got) != len(want) {
			t.Fatalf("%d tokens, cut again %d", len(want), len(got))
		}
		for i := range got {
			if got[i].Kind != want[i].Kind || got[i].Text != want[i].Text {
				t.Errorf("the token %q is %q, cut again", want[i].Text, got[i].Text)
			}
		}
	})
}
