package launchfile

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// compilerOptions are options of a source, and what the compiler is given of them: "!" begins what an error has in it.
var compilerOptions = []struct{ source, options, want string }{
	{"k.cu", "--use_fast_math", "--use_fast_math"},
	{"k.cu", "-use_fast_math -lineinfo", "-use_fast_math -lineinfo"},
	{"k.cu", "-O3 -O 2 --opt-level=1", "-O3 -O 2 --opt-level=1"},
	{"k.cu", "--maxrregcount 64 -maxrregcount=32", "--maxrregcount 64 -maxrregcount=32"},
	{"k.cu", "-fmad=false -ftz true --prec-div=false --prec-sqrt=true", "-fmad=false -ftz true --prec-div=false --prec-sqrt=true"},
	{"k.cu", "-arch=sm_90a -std=c++20", "-arch=sm_90a -std=c++20"},
	{"k.cu", "-gencode arch=compute_90a,code=[sm_90a,compute_90a]", "-gencode arch=compute_90a,code=[sm_90a,compute_90a]"},
	{"k.cu", "-dopt -default-device --dopt=on", "-dopt -default-device --dopt=on"},
	{"k.cu", "-Xptxas -O1,-dlcm=cg,-v --ptxas-options=-warn-on-spills", "-Xptxas -O1,-dlcm=cg,-v --ptxas-options=-warn-on-spills"},
	{"k.cu", "-D A=1 -DB --define-macro=C=(x+1)", "-DA=1 -DB -DC=(x+1)"},
	{"k.cu", "-D A=1 -U A --define-macro B", "-UA -DB"},
	{"k.cu", "-DF(a,b)=a<<b", "-DF(a,b)=a<<b"},
	{"k.cu", "-I headers --include-path=more", ""},
	{"k.cl", "-cl-fast-relaxed-math -cl-std=CL1.2 -cl-nv-maxrregcount=64 -w", "-cl-fast-relaxed-math -cl-std=CL1.2 -cl-nv-maxrregcount=64 -w"},
	{"k.cl", "-D X=1 -DY -I more", "-DX=1 -DY"},

	{"k.cu", "-ccbin=./evil.sh", "!7:12: -ccbin is none"},
	{"k.cu", "-w -ccbin ./evil.sh", "!7:15: -ccbin is none"},
	{"k.cu", "--compiler-bindir=x", "!--compiler-bindir is none"},
	{"k.cu", "-o./OVERWRITE", "!-o./OVERWRITE is none"},
	{"k.cu", "-o x", "!-o is none"},
	{"k.cu", "--output-file=x", "!--output-file is none"},
	{"k.cu", "--run", "!--run is none"},
	{"k.cu", "-run", "!-run is none"},
	{"k.cu", "--options-file=x", "!--options-file is none"},
	{"k.cu", "-optf x", "!-optf is none"},
	{"k.cu", "@x", "!@x is none"},
	{"k.cu", "other.cu", "!other.cu is none"},
	{"k.cu", "-Xcompiler -fplugin=x.so", "!-Xcompiler is none"},
	{"k.cu", "-Xlinker x", "!-Xlinker is none"},
	{"k.cu", "-lx", "!-lx is none"},
	{"k.cu", "-L/tmp", "!-L/tmp is none"},
	{"k.cu", "-include /etc/passwd", "!-include is none"},
	{"k.cu", "--pre-include=/etc/passwd", "!--pre-include is none"},
	{"k.cu", "-I/etc", "!-I names a folder outside of that of the launch file: /etc"},
	{"k.cu", "-I ../x", "!-I names a folder outside"},
	{"k.cu", "--include-path a/../../x", "!-I names a folder outside"},
	{"k.cu", "--keep", "!--keep is none"},
	{"k.cu", "--dryrun", "!--dryrun is none"},
	{"k.cu", "-Xptxas -o,x", "!-o is none"},
	{"k.cu", "-Xptxas=--output-file=x", "!--output-file is none"},
	{"k.cu", "-Xptxas -v,--options-file,x", "!--options-file is none"},
	{"k.cu", "-maxrregcount -ccbin=x", "!\"-ccbin=x\" is no value of the option maxrregcount"},
	{"k.cu", "-maxrregcount", "!-maxrregcount has no value"},
	{"k.cu", "-lineinfo=x", "!\"x\" is no value of the option generate-line-info"},
	{"k.cu", "-arch=native;x", "!is no value of the option gpu-architecture"},
	{"k.cu", "-DX=$(touch${IFS}x)", "!has \"$\" in it"},
	{"k.cu", "-D X=`x`", "!has \"`\" in it"},
	{"k.cu", "'-o' x", "!has \"'\" in it"},
	{"k.cu", "-cl-mad-enable", "!-cl-mad-enable is none"},
	{"k.cu", "--maxregcount=4", "!did you mean --maxrregcount?"},
	{"k.cu", "-D=1", "!\"1\" is no value of the option D"},
	{"k.cl", "-cl-std=CL1.2,x", "!is none"},
	{"k.cl", "-fplugin=x.so", "!-fplugin is none"},
	{"k.cl", "-save-temps", "!-save-temps is none"},
	{"k.cl", "-o x", "!-o is none"},
	{"k.cl", "-include x", "!-include is none"},
	{"k.cl", "-I/etc", "!-I names a folder outside"},
	{"k.cl", "-Xclang -load", "!-Xclang is none"},
	{"k.cl", "-Wp,-MD,x", "!-Wp,-MD,x is none"},
}

func TestOptions(t *testing.T) {
	for _, tt := range compilerOptions {
		text := map[string]string{"k.cl": base, "k.cu": cuda}[tt.source]
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			if strings.HasPrefix(l, "options:") {
				lines[i] = fmt.Sprintf("options: [%q]", tt.options)
			}
			if strings.HasPrefix(l, "define:") {
				lines[i] = "define: {}"
			}
		}
		f, err := Parse("l.yaml", []byte(strings.Join(lines, "\n")))
		got := ""
		switch {
		case err != nil:
			got = "!" + err.Error()
		default:
			got = f.program.options
		}
		if want, refused := strings.CutPrefix(tt.want, "!"); refused && !(err != nil && strings.Contains(got, want)) || !refused && got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.source, tt.options, got, tt.want)
		}
	}
}

// TestHiddenOptions: whatever words stand around it, an option that is refused alone is refused.
func TestHiddenOptions(t *testing.T) {
	bad := []string{"-ccbin=x", "-o", "--run", "-optf", "--keep", "-Xcompiler", "-lx", "-include", "--options-file=x", "-run-args=x"}
	good := []string{"-lineinfo", "-O3", "-maxrregcount", "64", "-D", "X=1", "-Xptxas", "-v", "-std=c++17", "-dopt", "-arch", "sm_90", "-I", "inc", "-U", "X"}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(good), 0, 4)
		words := append(append(some.Draw(t, "before"), rapid.SampledFrom(bad).Draw(t, "bad")), some.Draw(t, "after")...)
		text := strings.Replace(cuda, `options: [-use_fast_math, "-w -lineinfo"]`, fmt.Sprintf("options: [%q]", strings.Join(words, " ")), 1)
		if _, err := Parse("l.yaml", []byte(text)); err == nil && !strings.Contains(strings.Join(words, " ")+" ", "-I -") { // which is a folder then, and must be there
			t.Errorf("%v is not refused", words)
		}
	})
}
