package ckerneltest

import (
	"fmt"

	"pgregory.net/rapid"
)

// Control makes a random kernel function that is all control: loops with any starts, ends and steps within each other and under conditions of
// integers, around loads and additions. Unlike those of Program, many of them are refused, and some do not end.
func Control(t *rapid.T) Random {
	c := &control{generator: generator{t: t, words: openCL}}
	r := Random{CUDA: rapid.Bool().Draw(t, "cuda")}
	if r.CUDA {
		c.words = cuda
	}
	c.local = rapid.SampledFrom([]int64{4, 8, 16, 32}).Draw(t, "local")
	r.Local, r.Global = []int64{c.local}, []string{c.pick("global", "n", "m * 4", fmt.Sprint(2*c.local), fmt.Sprint(4*c.local))}
	c.axes = 1
	if c.chance("plane", 4) {
		c.axes = 2
		r.Local, r.Global = append(r.Local, 2), append(r.Global, c.pick("rows", "2", "4", "m"))
	}
	r.SubGroup = rapid.SampledFrom([]int{4, 8, 32}).Draw(t, "subgroup")
	r.Sizes = []map[string]int64{{"n": 1, "m": 1}, {"n": 7, "m": 3}, {"n": 12, "m": 20}, {"n": 33, "m": 5}}
	c.opaque = c.chance("opaque", 3)
	c.program()
	r.Text = c.text.String()
	return r
}

type control struct {
	generator
	nodes  int
	opaque bool // integers may be what is no index form
}

func (c *control) program() {
	w := c.words
	c.line("%s void f(int n, int m, %[2]sconst float *A, %[2]sfloat *out)", w.kernel, w.global)
	c.line("{")
	c.depth++
	c.line("int i = %s;", w.id[0])
	c.line("int l = %s;", w.item[0])
	c.line("int b = %s;", w.group[0])
	c.linear = []string{"i", "l", "b", "i", "l"}
	if c.axes == 2 {
		c.line("int y = %s;", w.id[1])
		c.line("int ly = %s;", w.item[1])
		c.linear = append(c.linear, "y", "ly")
	}
	c.line("float acc = 0.0f;")
	if c.chance("return", 4) {
		c.line("if (%s)", c.test(1))
		c.line("    return;")
	}
	if c.chance("first", 3) {
		c.integer("int")
	}
	c.loop()
	if c.chance("second", 4) {
		c.loop()
	}
	at := "i"
	if c.axes == 2 {
		at = "y * 1024 + i"
	}
	c.line("out[%s] = acc;", at)
	c.depth--
	c.line("}")
}

// leaf is an integer without operations.
func (c *control) leaf() string {
	switch rapid.IntRange(0, 5).Draw(c.t, "leaf") {
	case 0:
		return fmt.Sprint(rapid.IntRange(0, 20).Draw(c.t, "number"))
	case 1:
		return c.pick("size", "n", "m")
	}
	if len(c.loops) > 0 && c.chance("loop", 2) {
		return c.pick("counter", c.loops...)
	}
	return c.pick("leaf", c.linear...)
}

// number is an integer.
func (c *control) number(depth int) string {
	if depth == 0 || c.chance("leaf", 3) {
		return c.leaf()
	}
	x := c.number(depth - 1)
	if c.opaque && c.chance("opaque", 4) {
		y := c.leaf()
		return c.pick("opaque", "("+x+" ^ "+y+")", "("+x+" % (n + 1))", "("+x+" / (m + 1))", "("+x+" * "+y+")", "("+x+" & "+y+")", "(1 << ("+x+" & 3))",
			"("+x+" >> (l & 1))")
	}
	switch rapid.IntRange(0, 17).Draw(c.t, "operation") {
	case 14:
		return "((unsigned int)" + x + c.pick("unsigned", "", "", " / 3", " >> 1", " % 5", " & 6", " - 4") + ")"
	case 15:
		return "((" + c.pick("wide", "long", "int", "long") + ")" + x + ")"
	case 16:
		return "(" + x + c.pick("bits", " & 5", " | 2", " ^ 1", " ^ 6", " | 9", " & -4", " & 0xFFFFFFF8") + ")"
	case 17:
		return "~" + x
	case 0:
		return "(" + x + " + " + c.number(depth-1) + ")"
	case 1:
		return "(" + x + " - " + c.number(depth-1) + ")"
	case 2:
		return "(" + x + " + " + c.pick("more", "1", "2", "7") + ")"
	case 3:
		return "(" + x + " - " + c.pick("less", "1", "3", "9") + ")"
	case 4:
		return "(" + x + " * " + c.pick("factor", "2", "3", "-1", "n") + ")"
	case 5:
		return "(" + x + " / " + c.pick("divisor", "2", "3", "5", "-3") + ")"
	case 6:
		return "(" + x + " % " + c.pick("modulus", "2", "3", "4", "7") + ")"
	case 7:
		return "(" + x + " & " + c.pick("mask", "1", "3", "7") + ")"
	case 8:
		return "(" + x + " >> " + c.pick("right", "1", "2") + ")"
	case 9:
		return "(" + x + " << " + c.pick("left", "1", "2") + ")"
	case 10:
		return "min(" + x + ", " + c.number(depth-1) + ")"
	case 11:
		return "max(" + x + ", " + c.number(depth-1) + ")"
	case 12:
		return "abs(" + x + ")"
	}
	return "(" + c.test(0) + " ? " + x + " : " + c.number(depth-1) + ")"
}

// test is a condition on integers.
func (c *control) test(depth int) string {
	if depth > 0 && c.chance("joined", 3) {
		x, y := c.test(depth-1), c.test(depth-1)
		return c.pick("joined", x+" && "+y, x+" || "+y, "!("+x+")", "("+x+") == ("+y+")")
	}
	x, y := c.number(min(depth+1, 2)), c.number(depth)
	if c.chance("bare", 10) {
		return x
	}
	return x + c.pick("comparison", " < ", " <= ", " > ", " >= ", " == ", " != ") + y
}

// integer declares an integer, and perhaps changes it.
func (c *control) integer(dtype string) {
	name := c.name("v")
	c.line("%s %s = %s;", dtype, name, c.number(2))
	switch rapid.IntRange(0, 4).Draw(c.t, "change") {
	case 0:
		c.line("if (%s)", c.test(0))
		c.line("    %s = %s;", name, c.number(1))
	case 1:
		c.line("%s += %s;", name, c.number(1))
	}
	c.linear = append(c.linear, name)
}

// loop is a loop with a body.
func (c *control) loop() {
	k := c.name("k")
	dtype := c.pick("type", "int", "int", "int", "int", "int", "unsigned int", "long")
	start, end := c.number(2), c.number(2)
	condition := k + c.pick("upward", " < ", " < ", " <= ") + end
	step := c.pick("step", k+"++", k+"++", "++"+k, k+" += 2", k+" += 3", k+" += n + 1", k+" += "+c.words.size[0], k+" *= 2")
	switch rapid.IntRange(0, 9).Draw(c.t, "direction") {
	case 0, 1:
		condition = k + c.pick("downward", " > ", " >= ") + end
		step = c.pick("back", k+"--", k+"--", k+" -= 2", k+" -= 3", k+" /= 2", k+" >>= 1")
	case 2:
		condition = end + c.pick("mirrored", " > ", " >= ") + k
	case 3:
		condition += " && " + c.test(0)
	case 4:
		condition = k + " != " + end
		step = c.pick("one", k+"++", k+"--")
	}
	form := rapid.IntRange(0, 7).Draw(c.t, "form")
	switch form {
	case 0:
		c.line("%s %s = %s;", dtype, k, start)
		c.line("while (%s) {", condition)
	case 1:
		c.line("%s %s = %s;", dtype, k, start)
		c.line("do {")
	default:
		c.line("for (%s %s = %s; %s; %s) {", dtype, k, start, condition, step)
	}
	before, linear := c.loops, c.linear
	c.loops = append(append([]string{}, before...), k)
	c.depth++
	c.body(form > 1)
	if form <= 1 {
		c.line("%s;", step)
	}
	c.depth--
	c.loops, c.linear = before, linear
	if form == 1 {
		c.line("} while (%s);", condition)
	} else {
		c.line("}")
	}
	if form <= 1 && c.chance("after", 2) { // its last value
		c.linear = append(c.linear[:len(c.linear):len(c.linear)], k)
	}
}

// body is the body of a loop; continues tells that the loop may go to its next iteration early.
func (c *control) body(continues bool) {
	linear := c.linear
	if c.chance("declares", 5) {
		c.linear = linear[:len(linear):len(linear)]
		c.integer("int")
	}
	if continues && c.chance("continue", 8) {
		c.line("if (%s)", c.test(0))
		c.line("    continue;")
	}
	c.work()
	for range 2 {
		c.nodes++
		switch kind := rapid.IntRange(0, 5).Draw(c.t, "node"); {
		case kind == 0 && c.nodes < 6 && len(c.loops) < 3:
			c.loop()
		case kind <= 2:
			c.line("if (%s) {", c.test(1))
			c.depth++
			c.work()
			c.depth--
			if c.chance("else", 4) {
				c.line("} else {")
				c.depth++
				c.work()
				c.depth--
			}
			c.line("}")
		}
	}
	c.linear = linear
}

// work is something that counts.
func (c *control) work() {
	k := c.loops[len(c.loops)-1]
	c.line("acc += %s;", c.pick("work", "A[i]", "2.0f", "A["+k+" & 15]", "A["+k+" - "+k+"]", "A[l + ("+c.leaf()+" & 7)]", "acc * 3.0f"))
}
