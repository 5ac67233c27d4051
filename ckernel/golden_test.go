package ckernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/features"
	"gpuperf/internal/golden"
	"gpuperf/kernel/linear"
)

// launchOf reads the options in the first line of a file, as those of the command.
func launchOf(t testing.TB, line string) (opt Options) {
	t.Helper()
	for part := range strings.SplitSeq(strings.TrimPrefix(line, "// "), "--") {
		flag, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch flag {
		case "":
		case "local":
			for n := range strings.SplitSeq(value, ",") {
				v, err := strconv.ParseInt(n, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				opt.Local = append(opt.Local, v)
			}
		case "global":
			opt.Global = strings.Split(value, ",")
		case "groups":
			opt.Groups = strings.Split(value, ",")
		case "shared":
			opt.Dynamic = value
		case "assume":
			opt.Assume = append(opt.Assume, value)
		case "instance":
			opt.C.Instance = value
		case "bind":
			name, e, _ := strings.Cut(value, "=")
			opt.Bind = map[string]string{name: e}
		default:
			t.Fatalf("flag %q", flag)
		}
	}
	return opt
}

// TestKernels: the kernels of C text, their programs and their counts are those of the golden files.
func TestKernels(t *testing.T) {
	files, err := filepath.Glob("testdata/*.c[lu]")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(string(text), "\n")
			opt := launchOf(t, line)
			f, err := cfront.Read(t.Context(), path, opt.C)
			if err != nil {
				t.Fatal(err)
			}
			k, err := Read(t.Context(), f, opt)
			if err != nil {
				t.Fatal(err)
			}
			nest, err := linear.New(k)
			if err != nil {
				t.Fatalf("%v\n%s", err, k)
			}
			s, err := features.Count(k, features.Options{ExactBranches: true, FreeControl: true})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s\n%s\n", k, nest)
			for _, r := range s.Records {
				fmt.Fprintf(&b, "%s %s\n", r.Key, r.Count)
			}
			for _, w := range s.Warnings {
				fmt.Fprintf(&b, "warning: %v\n", w)
			}
			golden.Check(t, path+".txt", b.String())
		})
	}
}
