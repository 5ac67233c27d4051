package lift

import (
	"math"
	"math/rand"
	"testing"
)

// The examples without golden values, against what their sources compute, written out.
func TestAgainstReference(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	num := func() Value { return Inexact(0.5 + r.Float64()) }
	cube := func(d, h, w int) Value {
		return build(d, func(int) Value { return matrix(h, w, func(int, int) Value { return num() }) })
	}
	at := func(v Value, z, y, x int) float64 {
		return v.(Values)[z].(Values)[y].(Values)[x].(Num).Float64()
	}
	const d, h, w = 5, 4, 6
	grid, power := cube(d, h, w), cube(d, h, w)
	clamped := func(z, y, x int) float64 {
		return at(grid, max(0, min(z, d-1)), max(0, min(y, h-1)), max(0, min(x, w-1)))
	}
	particles := build(9, func(int) Value { return build(3, func(int) Value { return Inexact(6 * r.Float64()) }) })
	neighbours := build(9, func(i int) Value {
		return build(4, func(j int) Value { return Exact(int64((i+1+2*j)%9), 1) })
	})
	numbers := build(8, func(int) Value { return num() })
	for _, c := range []struct {
		name   string
		sizes  map[string]int64
		inputs []Value
		want   Value
	}{
		{"heat3d", map[string]int64{"d": d, "h": h, "w": w}, []Value{grid}, build(d, func(z int) Value {
			return matrix(h, w, func(y, x int) Value {
				if z == 0 || z == d-1 || y == 0 || y == h-1 || x == 0 || x == w-1 {
					return Unwritten{}
				}
				c := at(grid, z, y, x)
				axis := func(a, b float64) float64 { return 0.125 * (a - 2*c + b) }
				return Inexact(axis(at(grid, z-1, y, x), at(grid, z+1, y, x)) + axis(at(grid, z, y-1, x), at(grid, z, y+1, x)) +
					axis(at(grid, z, y, x-1), at(grid, z, y, x+1)) + c)
			})
		})},
		{"hotspot3d", map[string]int64{"d": d, "h": h, "w": w}, []Value{grid, power}, build(d, func(z int) Value {
			return matrix(h, w, func(y, x int) Value {
				// Rodinia's constants: a chip of 0.016 m, 0.0005 m thick, 512 by 512 cells in 8 layers.
				dx, dz := 0.016/512, 0.0005/8
				step := 0.001 / (3e6 / (0.5 * 0.0005 * 1.75e6)) / (0.5 * 1.75e6 * 0.0005 * dx * dx)
				side, layer := step/(1/(2*100*0.0005)), step/(dz/(100*dx*dx))
				centre := 1 - (4*side + 3*layer)
				return Inexact(centre*clamped(z, y, x) + side*(clamped(z, y-1, x)+clamped(z, y+1, x)+clamped(z, y, x-1)+clamped(z, y, x+1)) +
					layer*(clamped(z-1, y, x)+clamped(z+1, y, x)) + step*at(power, z, y, x) + layer*80)
			})
		})},
		{"md", map[string]int64{"n": 9, "k": 4}, []Value{particles, neighbours}, build(9, func(i int) Value {
			var f [3]float64
			p := particles[i].(Values)
			for _, j := range neighbours[i].(Values) {
				k, _ := j.(Num).Int()
				q := particles[k].(Values)
				var delta [3]float64
				r2 := 0.0
				for a := range delta {
					delta[a] = p[a].(Num).Float64() - q[a].(Num).Float64()
					r2 += delta[a] * delta[a]
				}
				if r2 >= 16 {
					continue
				}
				r6 := 1 / (r2 * r2 * r2)
				for a := range f {
					f[a] += delta[a] / r2 * r6 * (1.5*r6 - 2)
				}
			}
			return Values{Inexact(f[0]), Inexact(f[1]), Inexact(f[2])}
		})},
		{"blackscholes", map[string]int64{"n": 8}, []Value{numbers}, build(8, func(i int) Value {
			u := numbers[i].(Num).Float64() - 0.5
			mix := func(a, b float64) float64 { return a*u + b*(1-u) }
			s, k, years, rate, v := mix(10, 100), mix(10, 100), mix(1, 10), mix(0.01, 0.05), mix(0.01, 0.1)
			d1 := (math.Log(s/k) + (rate+v*v*0.05)*years) / v * math.Sqrt(years) // as AMD's sample has it
			d2 := d1 - v*math.Sqrt(years)
			normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) } // the sample's polynomial is within 1e-7
			growth := math.Exp(-rate * years)
			call := s*normal(d1) - k*growth*normal(d2)
			return Values{Inexact(call), Inexact(k*growth*normal(-d2) - s*normal(-d1))}
		})},
		{"prefix", map[string]int64{"n": 8}, []Value{numbers}, build(8, func(i int) Value {
			sum := 0.0
			for _, x := range numbers[:i+1] {
				sum += x.(Num).Float64()
			}
			return Inexact(sum)
		})},
		{"argmax", map[string]int64{"n": 8}, []Value{numbers}, func() Value {
			best := 0
			for i, x := range numbers {
				if x.(Num).Float64() > numbers[best].(Num).Float64() {
					best = i
				}
			}
			return Values{Values{numbers[best], Exact(int64(best), 1)}}
		}()},
		{"normalize", map[string]int64{"n": 8}, []Value{numbers}, build(8, func(i int) Value { return Inexact(numbers[i].(Num).Float64() / total(numbers, 1)) })},
		{"moments", map[string]int64{"n": 4}, []Value{neighbours[3]}, Values{neighbours[3], Values{Inexact(total(neighbours[3].(Values), 2))}}},
		{"diffuse", map[string]int64{"h": h, "w": w}, []Value{grid.(Values)[0]}, func() Value {
			now := grid
			for range 8 {
				from := now
				now = Values{matrix(h, w, func(y, x int) Value {
					around := at(from, 0, (y+h-1)%h, x) + at(from, 0, (y+1)%h, x) + at(from, 0, y, (x+w-1)%w) + at(from, 0, y, (x+1)%w)
					return Inexact(at(from, 0, y, x)/2 + around/8)
				})}
			}
			return now.(Values)[0]
		}()},
		{"transpose", map[string]int64{"h": h, "w": w}, []Value{grid.(Values)[0]}, matrix(w, h, func(x, y int) Value { return Inexact(at(grid, 0, y, x)) })},
	} {
		got, err := Eval(example(t, c.name), c.sizes, c.inputs, EvalOptions{Float: true})
		if err == nil {
			err = near(got, c.want, map[string]float64{"blackscholes": 1e-4, "hotspot3d": 1e-6}[c.name])
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// total is the sum of powers of numbers.
func total(list Values, power float64) (sum float64) {
	for _, x := range list {
		sum += math.Pow(x.(Num).Float64(), power)
	}
	return sum
}

// near compares within an absolute or relative error.
func near(a, b Value, tolerance float64) error {
	x, ok := a.(Num)
	y, okay := b.(Num)
	if ok && okay && math.Abs(x.Float64()-y.Float64()) <= max(tolerance, 1e-12)*max(1, math.Abs(y.Float64())) {
		return nil
	}
	xs, ok := a.(Values)
	ys, okay := b.(Values)
	if !ok || !okay || len(xs) != len(ys) {
		return Same(a, b, tolerance)
	}
	for i := range xs {
		if err := near(xs[i], ys[i], tolerance); err != nil {
			return err
		}
	}
	return nil
}
