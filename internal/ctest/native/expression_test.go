package native

import (
	"fmt"
	"strconv"
	"strings"
)

// evaluate is the value of an expression in sizes: sums, products and quotients of names and numbers.
func evaluate(text string, at map[string]int64) (n int64, err error) {
	list := tokens(strings.ReplaceAll(text, "//", "/"))
	i := 0
	var sum func() int64
	atom := func() int64 {
		if i >= len(list) {
			err = fmt.Errorf("%s: it ends too early", text)
			return 0
		}
		t := list[i]
		i++
		switch {
		case t.text == "(":
			v := sum()
			i++
			return v
		case t.kind == number:
			v, e := strconv.ParseInt(t.text, 10, 64)
			if e != nil {
				err = e
			}
			return v
		}
		v, ok := at[t.text]
		if !ok {
			err = fmt.Errorf("%s: %s has no value", text, t.text)
		}
		return v
	}
	product := func() int64 {
		v := atom()
		for i < len(list) && (list[i].text == "*" || list[i].text == "/") {
			op := list[i].text
			i++
			w := atom()
			if op == "*" {
				v *= w
			} else if w != 0 {
				v /= w
			}
		}
		return v
	}
	sum = func() int64 {
		v := product()
		for i < len(list) && (list[i].text == "+" || list[i].text == "-") {
			op := list[i].text
			i++
			if w := product(); op == "+" {
				v += w
			} else {
				v -= w
			}
		}
		return v
	}
	n = sum()
	return n, err
}
