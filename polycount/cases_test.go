package polycount

import (
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"testing"
	"time"
)

type countCase struct {
	Name, Category, Kind, Expr string
	Params                     []string
	Unbounded                  bool
	BarvinokMS                 float64 `json:"barvinok_ms"`
	BarvinokPieces             int     `json:"barvinok_pieces"`
	Values                     []struct {
		At    []int64
		Value string
	}
}

func readCases(t testing.TB) []countCase {
	t.Helper()
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []countCase }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

func (c countCase) count(opts ...Option) (*Poly, error) {
	switch c.Kind {
	case "set":
		s, err := ParseSet(c.Expr)
		if err != nil {
			return nil, err
		}
		return s.Count(opts...)
	default:
		m, err := ParseMap(c.Expr)
		if err != nil {
			return nil, err
		}
		if c.Kind == "map" {
			return m.Card(opts...)
		}
		r, err := m.Range()
		if err != nil {
			return nil, err
		}
		return r.Count(opts...)
	}
}

func TestCases(t *testing.T) {
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			if c.Name == "h_transport33" && os.Getenv("LONG") == "" {
				t.Skip("it takes seconds: LONG=1")
			}
			start := time.Now()
			p, err := c.count()
			took := time.Since(start)
			if c.Unbounded {
				var u *UnboundedError
				if !errors.As(err, &u) {
					t.Fatalf("unbounded: got %v, %v", p, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text := p.String()
			t.Logf("%v (barvinok %v ms), %d pieces (barvinok %d), %d characters", took, c.BarvinokMS, p.Pieces(), c.BarvinokPieces, len(text))
			if len(text) < 400 {
				t.Log(text)
			}
			if p.Pieces() > c.BarvinokPieces {
				t.Errorf("%d pieces, the reference has %d: %v", p.Pieces(), c.BarvinokPieces, p)
			}
			back, err := ParsePoly(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			e := p.Compile(p.Params())
			for _, v := range c.Values {
				at := map[string]int64{}
				names := p.Params()
				for i, x := range v.At {
					if i < len(names) {
						at[names[i]] = x
					}
				}
				got, err := p.Eval(at)
				if err != nil {
					t.Fatal(err)
				}
				want, _ := new(big.Rat).SetString(v.Value)
				if got.Cmp(want) != 0 {
					t.Errorf("at %v: %v, want %v", at, got, v.Value)
				}
				if got, err := back.Eval(at); err != nil || got.Cmp(want) != 0 {
					t.Errorf("parsed back, at %v: %v, want %v (%v)", at, got, v.Value, err)
				}
				if got, ok := e.Int64(v.At); ok && big.NewInt(got).Cmp(want.Num()) != 0 {
					t.Errorf("compiled, at %v: %v, want %v", at, got, v.Value)
				}
				if got := e.Big(v.At); got.Cmp(want.Num()) != 0 {
					t.Errorf("compiled, at %v: %v, want %v", at, got, v.Value)
				}
			}
		})
	}
}
