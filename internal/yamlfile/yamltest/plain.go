// Package yamltest turns YAML into what schemas of JSON are tested with.
package yamltest

import (
	"math"
	"strconv"

	"gpuperf/internal/yamlfile"
)

// Plain turns a YAML tree into what a JSON decoder gives. The values of the keys in texts are text, whatever they look like.
func Plain(n *yamlfile.Node, texts map[string]bool) any {
	var plain func(n *yamlfile.Node, text bool) any
	plain = func(n *yamlfile.Node, text bool) any {
		switch n.Kind {
		case yamlfile.Map:
			out := map[string]any{}
			for _, e := range n.Entries {
				out[e.Key.Text] = plain(e.Value, texts[e.Key.Text])
			}
			return out
		case yamlfile.List:
			out := []any{}
			for _, i := range n.Items {
				out = append(out, plain(i, text))
			}
			return out
		case yamlfile.Scalar:
			if v, err := strconv.ParseFloat(n.Text, 64); err == nil && !text && !math.IsInf(v, 0) && !math.IsNaN(v) {
				return v
			}
			if v, err := n.Bool(); err == nil {
				return v
			}
			return n.Text
		}
		return nil
	}
	return plain(n, false)
}
