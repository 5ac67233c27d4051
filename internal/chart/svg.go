package chart

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// canvas collects SVG elements.
type canvas struct{ strings.Builder }

// document starts an image, which close("svg") ends.
func document(title string, width, height float64) *canvas {
	c := &canvas{}
	c.open("svg", "xmlns", "http://www.w3.org/2000/svg", "width", width, "height", height,
		"viewBox", "0 0 "+decimal(width)+" "+decimal(height), "role", "img",
		"font-family", "system-ui, 'Helvetica Neue', Arial, sans-serif", "font-size", 11.0, "fill", ink)
	c.leaf("title", title)
	c.empty("rect", "width", width, "height", height, "fill", "#ffffff")
	return c
}

// open starts an element with attributes, given as name and value in turn.
func (c *canvas) open(name string, attrs ...any) {
	c.element(name, attrs)
	c.WriteString(">")
}

func (c *canvas) close(name string) { fmt.Fprintf(c, "</%s>\n", name) }

// empty writes an element that holds nothing.
func (c *canvas) empty(name string, attrs ...any) {
	c.element(name, attrs)
	c.WriteString("/>\n")
}

// text writes a text element.
func (c *canvas) text(content string, attrs ...any) { c.leaf("text", content, attrs...) }

func (c *canvas) leaf(name, content string, attrs ...any) {
	c.open(name, attrs...)
	c.escape(content)
	c.close(name)
}

func (c *canvas) element(name string, attrs []any) {
	c.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		fmt.Fprintf(c, ` %s="`, attrs[i])
		switch v := attrs[i+1].(type) {
		case float64:
			c.WriteString(decimal(v))
		default:
			c.escape(fmt.Sprint(v))
		}
		c.WriteString(`"`)
	}
}

// escape writes text; what XML cannot hold becomes U+FFFD.
func (c *canvas) escape(text string) { _ = xml.EscapeText(c, []byte(text)) }

// decimal writes a coordinate to a tenth of a pixel.
func decimal(v float64) string {
	s := strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// Picture is drawn for wide screens and for narrow ones.
type Picture interface {
	SVG() string
	Narrow() string
}

// Inline is a picture as HTML, in both forms; a page shows elements of class "wide" or of class "narrow".
func Inline(p Picture) template.HTML {
	return template.HTML(`<div class="wide">` + p.SVG() + "</div>\n<div class=\"narrow\">" + p.Narrow() + "</div>\n") //nolint:gosec // text is escaped
}
