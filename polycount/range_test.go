package polycount

import (
	"errors"
	"fmt"
	"math/rand"
	"testing"
)

// images counts the distinct images of a map by enumeration of its graph.
func images(t *testing.T, m *Map, at map[string]int64) int64 {
	t.Helper()
	points, err := m.Graph().Points(at, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range points {
		seen[fmt.Sprint(p[len(m.in):])] = true
	}
	return int64(len(seen))
}

func checkRange(t *testing.T, text string, params []string, sizes [][]int64, opts ...Option) (counted bool) {
	t.Helper()
	m, err := ParseMap(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p, err := must(m.Range()).Count(opts...)
	if errors.Is(err, ErrBudget) {
		return false
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, v := range sizes {
		at := map[string]int64{}
		for i, n := range params {
			at[n] = v[i]
		}
		want := images(t, m, at)
		if got := must(p.Eval(at)); !got.IsInt() || got.Num().Int64() != want {
			t.Fatalf("%s\nhas %v images\nat %v: %v, want %d", text, p, at, got, want)
		}
	}
	return true
}

// Footprints of tiled index maps, with their count where it is worth looking at.
func TestTiledRanges(t *testing.T) {
	for _, c := range []struct{ m, want string }{
		{"[n] -> { [io,ii,j] -> [3*(37io + ii) + 2j] : 0 <= ii < 37 and 0 <= 37io + ii < n and 0 <= j < n }", "[n] -> { -6 + 5*n : n >= 4; n^2 : 1 <= n <= 3 }"},
		{"[n] -> { [io,ii,jo,ji] -> [3*(37io + ii) + 2*(16jo + ji)] : 0 <= ii < 37 and 0 <= 37io + ii < n and 0 <= 16jo + ji < n and 0 <= ji < 16 }", "[n] -> { -6 + 5*n : n >= 4; n^2 : 1 <= n <= 3 }"},
		{"[n] -> { [io,ii,k] -> [16io + ii + k] : 0 <= ii < 16 and 0 <= io < n and 0 <= k < 3 }", "[n] -> { 2 + 16*n : n > 0 }"},
		{"[n] -> { [a,b,c,d] -> [128a + 16b + c - 4d] : 0 <= a < n and 0 <= b < 8 and 0 <= c < 16 and 0 <= d < 5 }", "[n] -> { 16 + 128*n : n > 0 }"},
		{"[n,m] -> { [i,j] -> [7i + 5j] : 0 <= i < n and 0 <= j < m }", "[n, m] -> { -35 + 7*n + 5*m : n >= 6 and m >= 8; n*m : 1 <= n <= 5 and m >= 8; n*m : n > 0 and 1 <= m <= 7 }"},
		{"{ [i,j,k,l] -> [13i + 11j + 7k + 5l] : 0 <= i,j < 10 and 0 <= k,l < 8 }", "{ 287 }"},
		{"[n] -> { [a,b] -> [5a + b] : 0 <= a < n and 0 <= b < 7 }", "[n] -> { 2 + 5*n : n > 0 }"},
		{"[n] -> { [a,b] -> [-5a + b] : 0 <= a < n and 3 <= b < 7 }", "[n] -> { 4*n : n > 0 }"},
	} {
		if !checkRange(t, c.m, []string{"n", "m"}, [][]int64{{-1, 2}, {0, 9}, {1, 1}, {2, 9}, {3, 4}, {5, 9}, {38, 10}}) {
			t.Errorf("%s: %v", c.m, ErrBudget)
		}
		if got := must(must(must(ParseMap(c.m)).Range()).Count()); got.String() != c.want {
			t.Errorf("%s: %v, want %s", c.m, got, c.want)
		}
	}
}

// Random linear forms over boxes, some of them tiled, some with bounds that depend on each other.
func TestRandomRanges(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	budget, trials := 0, *randomSets/10
	for range trials {
		dims := []string{"i", "j", "k", "l"}[:2+r.Intn(2)+r.Intn(2)*r.Intn(2)]
		domain, form := "", fmt.Sprint(r.Intn(3))
		tile := int64(2 + r.Intn(4))
		for q, d := range dims {
			if q > 0 {
				domain += " and "
			}
			switch r.Intn(6) {
			case 0:
				domain += fmt.Sprintf("0 <= %s < n", d)
			case 1:
				domain += fmt.Sprintf("-1 <= %s < m", d)
			case 2:
				if q > 0 {
					domain += fmt.Sprintf("%s <= %s < n", dims[q-1], d)
					break
				}
				fallthrough
			case 3:
				if q > 0 {
					domain += fmt.Sprintf("0 <= %d*%s + %s < n", tile, dims[q-1], d)
					break
				}
				fallthrough
			default:
				domain += fmt.Sprintf("0 <= %s < %d", d, tile+int64(r.Intn(2)))
			}
			domain += fmt.Sprintf(" and -9 <= %s <= 9", d)
			c := int64(r.Intn(9) - 4)
			if r.Intn(2) == 0 && q > 0 {
				c = tile
			}
			form += fmt.Sprintf(" + %d*%s", c, d)
		}
		if len(dims) > 2 && r.Intn(3) == 0 {
			form += ", " + dims[0] + " + 2*" + dims[2]
		}
		list := dims[0]
		for _, d := range dims[1:] {
			list += "," + d
		}
		text := fmt.Sprintf("[n,m] -> { [%s] -> [%s] : %s }", list, form, domain)
		if !checkRange(t, text, []string{"n", "m"}, [][]int64{{0, 1}, {1, 2}, {2, 0}, {4, 3}, {5, 6}}, WithLimit(4_000_000)) {
			budget++
		}
	}
	t.Logf("%d of %d exceeded the budget", budget, trials)
	if budget > trials/5 {
		t.Errorf("%d of %d exceeded the budget", budget, trials)
	}
}
