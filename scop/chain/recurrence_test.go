package chain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// TestOf: what a loop carries forward by associative operators, and what is none.
func TestOf(t *testing.T) {
	for body, want := range map[string]string{
		"if (i % 2 == 0) *s += x[i];":                   "",
		"if (n > 9) *s += x[i];":                        "",
		"*s += x[i];":                                   "sum",
		"*s -= x[i] * w[i]; *u = fmaxf(*u, x[i]);":      "sum fmax",
		"y[i] = y[i-1] * x[i];":                         "scan product",
		"y[i] += y[i-1];":                               "scan sum",
		"y[i] = x[i] > y[i-1] ? x[i] : y[i-1];":         "scan extreme",
		"if (x[i] <= *s) { *s = x[i]; *p = i; }":        "extreme beside",
		"if (w[i] < *s) { *s = w[i]; *p = i; }":         "", // w is rounded where it is kept
		"*s += x[i]; y[i] = *s * 2;":                    "scan sum",
		"y[i] = 0.5f * y[i-1] + x[i];":                  "scan damped",
		"y[i] = x[i] - y[i-1];":                         "scan damped",
		"y[i] = 2 * y[i-1] + x[i];":                     "scan divided", // whose powers may overflow
		"y[i] = a * y[i-1] + x[i];":                     "scan divided",
		"y[i] = x[i] / (a - y[i-1]) + 1;":               "scan divided",
		"y[i] = (y[i-1] + 1) / (2 * y[i-1] + x[i]);":    "scan divided",
		"y[i] = y[i-1] / y[i-1];":                       "scan divided",
		"y[i] = y[i-1] / (1 + 1 / y[i-1]);":             "",
		"y[i] = a * y[i-1] + x[i] * y[i];":              "scan divided",
		"y[i] = a * y[i-1]; *s += y[i];":                "",
		"y[i] = y[i-1] * y[i-1] + x[i];":                "",
		"y[i] = y[i-2] + x[i];":                         "",
		"*s += x[i]; *u += *s;":                         "",
		"*s = *s * 0.5f + x[i];":                        "", // the last chunk has a power of its own
		"y[i] = x[i];":                                  "",
		"if (x[i] < *s) *s = x[i]; else y[i] = 1 / *s;": "scan extreme",
		"by 3: *s += x[i]; y[i] = *s;":                  "", // chunks are of all values in between
		"by 2: y[i] += y[i-1];":                         "",
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		step := "1"
		if by, rest, stepped := strings.Cut(body, ": "); stepped && strings.HasPrefix(by, "by ") {
			step, body = by[len("by "):], rest
		}
		text := "#include <math.h>\nvoid f(int n, float a, float x[n], double w[n], float y[n], float s[1], float u[1], int p[1])\n{\n#pragma scop\n  for (int i = 2; i < n; i += " + step + ") { " + strings.NewReplacer("*s", "s[0]", "*u", "u[0]", "*p", "p[0]").Replace(body) + " }\n#pragma endscop\n}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		nests, err := scop.Load(t.Context(), file, cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		k, err := nests[0].Kernel()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r := Of(k, func(array string) bool { return array == "holds" }); r != nil {
			var words []string
			if r.Scans() {
				words = append(words, "scan")
			}
			for _, s := range r.states {
				switch {
				case s.fraction != nil:
					words = append(words, "divided")
				case s.factor != 0:
					words = append(words, "damped")
				case s.extreme == s:
					words = append(words, "extreme")
				case s.extreme != nil:
					words = append(words, "beside")
				default:
					words = append(words, s.kind)
				}
			}
			got = strings.Join(words, " ")
		}
		if got != want {
			t.Errorf("%s is %q, want %q", body, got, want)
		}
	}
}
