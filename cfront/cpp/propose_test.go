package cpp_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront/cpp"
)

// TestPropose: definitions under which an #error is left out, and those under which functions are read that a condition leaves out. Under them they are.
func TestPropose(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"#if N != 4 && N != 8\n#error\n#endif", "N=4"},
		{"#ifndef A\n#error\n#endif", "A"},
		{"#if !defined B && !C\n#error\n#endif", "B"},
		{"#if W == 64\n#define R 1\n#elif W == 32\n#define R 2\n#else\n#error no R\n#endif", "W=64"},
		{"#if W\n#elif V > 7\n#error\n#endif", ""},
		{"#if V <= 7\n#error\n#endif", "V=8"},
		{"#ifndef G\n#define G\n#if N < 2 || M < 3\n#error\n#endif\n#endif", "M=3 N=2"},
		{"#define A B\n#if A != 5\n#error\n#endif", "B=5"},
		{"#if 1\n#error\n#endif", "none"},
		{"#error", "none"},
		{"#if N / / 2\n#endif\n#error", "none"},
		{"#ifdef X\nkernel void f() {}\n#endif\n#if Y == 3\n kernel __attribute__((reqd_work_group_size(1, 1, 1))) void\ng(int x) {}\n#endif", "f:X g:Y=3"},
		{"#if K == 1\n#ifdef L\n#else\n#if M\nkernel void f() {}\n#endif\n#endif\n#elif K == 2\nkernel void g() {}\n#endif", "f:K=1 M=1 g:K=2"},
		{"#ifndef V\n#define V 255\n#endif\n#if !defined(W)\n#define W 1\n#endif\n#define X 1\n#if V == 1 && W == 2\nkernel void f() {}\n#endif\n#if X == 2\nkernel void g() {}\n#endif", "f:W=2 V=1 g:"},
		{"#if 0\nkernel void f() {}\n#endif\nx", "f:"},
	} {
		left := map[string][]string{}
		_, err := cpp.Run(t.Context(), cpp.Config{LeftOut: left, Kernels: []string{"kernel"}}, "a.c", c.text)
		var at *cpp.Error
		got := []string{}
		if errors.As(err, &at) {
			if got = at.Flags; got == nil {
				got = []string{"none"}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(left)) {
			got = append(got, strings.TrimSpace(name+":"+strings.Join(left[name], " ")))
			holds(t, c.text, left[name], name)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q: got %q, want %q", c.text, text, c.want)
		}
		if at != nil && at.Flags != nil {
			holds(t, c.text, at.Flags, "")
		}
	}
}

// holds: a text is read under definitions, with a name in it.
func holds(t *testing.T, text string, flags []string, name string) {
	define := ""
	for _, f := range flags {
		n, value, _ := strings.Cut(f, "=")
		define += "#define " + n + " " + value + "\n"
	}
	tokens, err := cpp.Run(t.Context(), cpp.Config{Define: define}, "a.c", text)
	if has := slices.ContainsFunc(tokens, func(tok cpp.Token) bool { return tok.Is(name) }); err != nil || name != "" && len(flags) > 0 && !has {
		t.Errorf("%q under %v: %v, %v", text, flags, has, err)
	}
}
