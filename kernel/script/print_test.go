package script_test

import (
	"context"
	"strings"
	"testing"

	"gpuperf/kernel/script"
)

func TestPrint(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"place", "x = 2\nprint('x is', x)\n", "k.star:2: x is 2\n"},
		{"in a function", "def f():\n    print('a')\n\nf()\n", "k.star:2: a\n"},
		{"many", "for i in range(200000):\n    print(i)\n", "k.star:2: 99\nk.star:2: the script prints more; only its first 100 texts are shown\n"},
		{"long", "print('é' * 100000)\n", "é …\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if _, err := (script.Options{}).Module(script.Printing(context.Background(), &out), "k.star", c.text); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); !strings.HasSuffix(got, c.want) || len(got) > 3000 {
				t.Errorf("%d bytes:\n%.3000s", len(got), got)
			}
		})
	}
}
