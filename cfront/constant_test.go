package cfront_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
)

// constants makes random expressions of integer constants.
type constants struct{ *rand.Rand }

func (c constants) one(list ...string) string { return list[c.IntN(len(list))] }

func (c constants) expression(depth int) string {
	if depth == 0 {
		return c.one("0", "1", "7", "'a'", `'\377'`, `'\n'`, "2147483647", "0xffffffff", "3u", "4294967295u", "017", "5l", "9223372036854775807", "12ul", "1ull << 63",
			"sizeof(struct s)", "sizeof text", "sizeof list", "sizeof(union u)", "E2", "sizeof(double *[3])", "sizeof rows[0]")
	}
	x := c.expression(depth - 1)
	switch c.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s)(%s)", c.one("char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "_Bool"), x)
	case 1:
		return fmt.Sprintf("%s(%s)", c.one("-", "~", "!", "+"), x)
	case 2:
		return fmt.Sprintf("(%s) %s %d", x, c.one("<<", ">>"), c.IntN(31))
	case 3:
		return fmt.Sprintf("(%s) %s ((%s) | 1)", x, c.one("/", "%"), c.expression(depth-1))
	case 4:
		return fmt.Sprintf("(%s) ? (%s) : (%s)", x, c.expression(depth-1), c.expression(depth-1))
	}
	return fmt.Sprintf("(%s) %s (%s)", x, c.one("+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"), c.expression(depth-1))
}

// TestConstants: constants of C have the values that a compiler gives them; those that no long holds are none.
func TestConstants(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler to compare with")
	}
	const head = `struct s { char c; double d; struct { short x, y; } in; int last[3]; };
union u { char c[5]; int n; };
enum { E1, E2 = 1 << 4, E3 };
char text[] = "a\tb" "c\x41";
int list[] = { 1, 2, 3, E3 };
int rows[][3] = { { 1 }, { 2, 3 } };
`
	c := constants{rand.New(rand.NewPCG(1, 2))}
	n := 400
	if os.Getenv("LONG") != "" {
		n = 20_000
	}
	var list []string
	var program, asked strings.Builder
	program.WriteString("int printf(const char *, ...);\n" + head + "int main(void) {\n")
	asked.WriteString(head + "void f(void) {\n")
	for range n {
		e := c.expression(c.IntN(4))
		list = append(list, e)
		fmt.Fprintf(&program, "printf(\"%%lld %%d\\n\", (long long)(%s), (int)((%s) > 0 && (unsigned long)(%s) > 1ul << 62 && (unsigned long)(%s) >> 63));\n", e, e, e, e)
		fmt.Fprintf(&asked, "(%s);\n", e)
	}
	program.WriteString("return 0; }\n")
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	if err := os.WriteFile(source, []byte(program.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-w", "-fwrapv", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := cfront.Parse(t.Context(), "a.c", asked.String()+"}\n", cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	open := 0
	for i, s := range f.Function("f").Body.Items {
		want, large, _ := strings.Cut(lines[i], " ")
		value, known := s.(*cfront.Do).X.(*cfront.Int)
		switch {
		case known && fmt.Sprint(value.Value) != want:
			t.Errorf("%s is %d, want %s", list[i], value.Value, want)
		case known && large == "1":
			t.Errorf("%s is %d, which no long holds", list[i], value.Value)
		case !known:
			open++
		}
	}
	if open > n/4 {
		t.Errorf("%d of %d constants have no value", open, n)
	}
}
