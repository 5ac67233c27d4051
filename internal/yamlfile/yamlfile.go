// Package yamlfile reads YAML strictly and keeps the place of everything, so that a mistake in a file is reported where it stands.
//
// Parse gives a tree of Nodes over goccy/go-yaml's syntax tree; Fields refuses a key that the format does not have, with the
// nearest one that it has; PosOf finds the place in the file of a character inside a scalar, whatever the scalar's style.
// It deliberately lacks anchors, aliases, tags, merge keys and several documents in a file.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"gpuperf/internal/bounded"
	"gpuperf/internal/fault"
	"gpuperf/internal/source"
)

const quotes = "put quotes around text that has a : and a blank after it"

// MaxSize is the largest text that Parse accepts, in bytes: files are written by people, and a stranger's must be safe to open.
const MaxSize = 2 << 20

// maxKeys bounds the keys of a file, as the time that the parser below takes grows with their square.
const maxKeys = 1 << 14

// maxDepth bounds the nesting, for the recursion of the parser below and of those who walk the tree.
const maxDepth = 64

// Kind says what a Node is.
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Scalar
	List
	Map
)

func (k Kind) String() string { return [...]string{"nothing", "a scalar", "a list", "a map"}[k] }

// Entry is a key of a map and its value.
type Entry struct {
	Key   *Node // a scalar
	Value *Node
}

// Node is a value in a YAML file with its place.
type Node struct {
	Kind    Kind
	Text    string  // of a scalar, without quotes and folding
	Items   []*Node // of a list
	Entries []Entry // of a map, in the order of the file
	Pos     source.Pos

	style token.Type
	doc   *document
}

type document struct {
	file, text string
	body       ast.Node // nil where it is empty
}

// Parse reads one YAML document; an empty one is a Null node. Errors are *source.Error.
func Parse(file string, text []byte) (*Node, error) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	d := &document{file: file, text: string(text)}
	if len(text) > MaxSize {
		return nil, source.At(file, "", source.Pos{}, "the file is larger than %d bytes", MaxSize)
	}
	if !utf8.ValidString(d.text) || strings.ContainsRune(d.text, 0) {
		return nil, source.At(file, "", source.Pos{}, "the file is not text in UTF-8")
	}
	if i := strings.IndexByte(d.text, '\r'); i >= 0 {
		return nil, source.New(file, d.text, i, "a carriage return stands inside this line").WithHint("lines end in a newline")
	}
	f, err := parse(text)
	if err != nil {
		return nil, d.syntaxError(err)
	}
	var docs []ast.Node
	for _, doc := range f.Docs {
		if doc.Body != nil {
			docs = append(docs, doc.Body)
		}
	}
	if len(docs) == 0 {
		return &Node{doc: d, Pos: source.Pos{Line: 1, Column: 1}}, nil
	}
	if len(docs) > 1 {
		return nil, d.errorAt(place(docs[1]), "a second document starts here").WithHint("a file holds one document: remove the \"---\"")
	}
	d.body = docs[0]
	return d.convert(d.body, 0)
}

// Load reads a file as parse reads its text.
func Load[T any](path string, parse func(path string, text []byte) (T, error)) (v T, err error) {
	text, err := bounded.ReadFile(path, MaxSize)
	if err != nil {
		return v, err
	}
	return parse(path, text)
}

// understood turns a panic of the YAML library on malformed input into an error.
func understood(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if e := fault.Of(r); e.Library {
		*err = errors.New("the YAML cannot be understood")
	} else {
		*err = e
	}
}

func parse(text []byte) (f *ast.File, err error) {
	defer understood(&err)
	if depth := flowDepth(text); depth > maxDepth {
		return nil, fmt.Errorf("more than %d brackets are open at once", maxDepth)
	}
	tokens, keys := lexer.Tokenize(string(text)), 0
	for _, t := range tokens {
		if t.Type == token.MappingValueType {
			keys++
		}
	}
	if keys > maxKeys {
		return nil, fmt.Errorf("the file has more than %d keys", maxKeys)
	}
	return parser.Parse(tokens, 0)
}

func flowDepth(text []byte) int {
	depth, deepest := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

func (d *document) errorAt(pos source.Pos, format string, args ...any) *source.Error {
	return source.At(d.file, d.text, pos, format, args...)
}

func (d *document) syntaxError(err error) error {
	var at interface {
		error
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &at) || at.GetToken() == nil {
		return d.errorAt(source.Pos{Line: 1, Column: 1}, "%s", err)
	}
	e := d.errorAt(tokenPos(at.GetToken()), "%s", at.GetMessage())
	if at.GetMessage() == "mapping value is not allowed in this context" {
		return e.WithHint(quotes)
	}
	if strings.Contains(e.Line, "f_") && strings.ContainsAny(e.Line, "{}[]") {
		return e.WithHint("inside [] or {} put quotes around text that has : , { } [ or ] in it")
	}
	return e
}

func tokenPos(t *token.Token) source.Pos {
	if t == nil || t.Position == nil {
		return source.Pos{Line: 1, Column: 1}
	}
	return source.Pos{Line: max(1, t.Position.Line), Column: max(1, t.Position.Column)}
}

// place is where a value starts; a map's own token is its first colon, so its first key is asked.
func place(n ast.Node) source.Pos {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return tokenPos(n.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return tokenPos(n.Key.GetToken())
	}
	return tokenPos(n.GetToken())
}

func (d *document) convert(n ast.Node, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, d.errorAt(place(n), "nested more than %d deep", maxDepth)
	}
	out := &Node{Pos: place(n), doc: d}
	switch n := n.(type) {
	case *ast.NullNode:
		return out, nil
	case *ast.MappingNode:
		out.Kind = Map
		return out, d.entries(out, n.Values, depth)
	case *ast.MappingValueNode:
		out.Kind = Map
		return out, d.entries(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.Kind = List
		for _, v := range n.Values {
			item, err := d.convert(v, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, item)
		}
		return out, nil
	case *ast.LiteralNode:
		out.Kind, out.Text, out.style = Scalar, n.Value.Value, token.LiteralType
		return out, nil
	case *ast.StringNode:
		out.Kind, out.Text, out.style = Scalar, n.Value, n.GetToken().Type
		return out, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode, *ast.BoolNode:
		out.Kind, out.Text, out.style = Scalar, n.GetToken().Value, n.GetToken().Type
		return out, nil
	}
	return nil, d.errorAt(out.Pos, "anchors, aliases, tags and merge keys have no meaning here").
		WithHint("write the value out, or put quotes around it")
}

func (d *document) entries(out *Node, values []*ast.MappingValueNode, depth int) error {
	seen := map[string]bool{}
	for _, v := range values {
		key, err := d.convert(v.Key, depth+1)
		if err != nil {
			return err
		}
		if key.Kind != Scalar {
			return key.Errorf("a key must be a plain word, this is %s", key.Kind)
		}
		if seen[key.Text] {
			return key.Errorf("%q stands here twice", key.Text)
		}
		seen[key.Text] = true
		value := &Node{Pos: key.Pos, doc: d}
		if v.Value != nil {
			if value, err = d.convert(v.Value, depth+1); err != nil {
				return err
			}
		}
		out.Entries = append(out.Entries, Entry{Key: key, Value: value})
	}
	return nil
}

// Errorf returns an error at the place of the node.
func (n *Node) Errorf(format string, args ...any) *source.Error {
	return n.doc.errorAt(n.Pos, format, args...)
}

// ErrorIn returns an error at the rune offset inside the text of a scalar.
func (n *Node) ErrorIn(offset int, format string, args ...any) *source.Error {
	return n.doc.errorAt(n.PosOf(offset), format, args...)
}

// Within is an error that the parser of a scalar's text gives, at its place in the file.
func (n *Node) Within(err error) *source.Error {
	var e *source.Error
	if !errors.As(err, &e) {
		return n.Errorf("%s", err)
	}
	if e.Pos.Line < 1 {
		return n.Errorf("%s", e.Msg).WithHint("%s", e.Hint)
	}
	at := e.Pos.Column - 1
	for i, line := range strings.SplitAfter(n.Text, "\n") {
		if i+1 < e.Pos.Line {
			at += utf8.RuneCountInString(line)
		}
	}
	return n.ErrorIn(at, "%s", e.Msg).WithHint("%s", e.Hint)
}

// Fields returns the values of a map by key. A key that is not among the known ones is an error that names the nearest.
// A missing key is absent from the result; a null node gives an empty map.
func (n *Node) Fields(known ...string) (map[string]*Node, error) {
	out := make(map[string]*Node)
	entries, err := n.Pairs()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !slices.Contains(known, e.Key.Text) {
			return nil, e.Key.Errorf("unknown key %q", e.Key.Text).WithHint("%s", source.Suggest(e.Key.Text, known))
		}
		out[e.Key.Text] = e.Value
	}
	return out, nil
}

// Pairs returns the entries of a map whose keys are the writer's own, none for a null node.
func (n *Node) Pairs() ([]Entry, error) {
	if n.Kind == Null {
		return nil, nil
	}
	if n.Kind != Map {
		return nil, n.Errorf("expected a map (key: value), found %s", n.describe())
	}
	return n.Entries, nil
}

// Optional reads a value that may be missing, as that of a key in what Fields returns.
func Optional[T any](n *Node, read func(*Node) (T, error), into *T) (err error) {
	if n != nil {
		*into, err = read(n)
	}
	return err
}

// Get returns the value of a key of a map, nil where there is none.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	if i := slices.IndexFunc(n.Entries, func(e Entry) bool { return e.Key.Text == key }); i >= 0 {
		return n.Entries[i].Value
	}
	return nil
}

// List returns the items of a list, none for a null node.
func (n *Node) List() ([]*Node, error) {
	if n.Kind == Null {
		return nil, nil
	}
	if n.Kind != List {
		return nil, n.Errorf("expected a list, found %s", n.describe())
	}
	return n.Items, nil
}

// String returns the text of a scalar, which must not be empty.
func (n *Node) String() (string, error) {
	switch {
	case n.Kind == Map && len(n.Entries) == 1:
		return "", n.Errorf("expected text, found %s", n.describe()).WithHint(quotes)
	case n.Kind != Scalar || strings.TrimSpace(n.Text) == "":
		return "", n.Errorf("expected text, found %s", n.describe())
	}
	return n.Text, nil
}

// Strings returns the items of a list of texts, none for a null node.
func (n *Node) Strings() ([]*Node, error) {
	items, err := n.List()
	for _, item := range items {
		if _, err := item.String(); err != nil {
			return nil, err
		}
	}
	return items, err
}

// Ints returns a map to integers, an empty one for a null node.
func (n *Node) Ints() (map[string]int64, error) {
	entries, err := n.Pairs()
	out := make(map[string]int64, len(entries))
	for _, e := range entries {
		v, err := e.Value.Int()
		if err != nil {
			return nil, err
		}
		out[e.Key.Text] = int64(v)
	}
	return out, err
}

// Float returns a number; infinities are written .inf and -.inf; a NaN is an error.
func (n *Node) Float() (float64, error) {
	if n.Kind == Scalar {
		text := strings.Replace(strings.ToLower(n.Text), ".inf", "inf", 1)
		if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(v) {
			return v, nil
		}
	}
	return 0, n.Errorf("expected a number, found %s", n.describe())
}

// Int returns an integer.
func (n *Node) Int() (int, error) {
	if n.Kind == Scalar {
		if v, err := strconv.Atoi(n.Text); err == nil {
			return v, nil
		}
	}
	return 0, n.Errorf("expected an integer, found %s", n.describe())
}

// Bool returns true or false.
func (n *Node) Bool() (bool, error) {
	if n.Kind == Scalar && (n.Text == "true" || n.Text == "false") {
		return n.Text == "true", nil
	}
	return false, n.Errorf("expected true or false, found %s", n.describe())
}

func (n *Node) describe() string {
	if n.Kind == Scalar {
		return strconv.Quote(n.Text)
	}
	return n.Kind.String()
}

// Decode reads text into a Go value by its yaml or json tags, strictly: an unknown or a wrongly typed field is a *source.Error.
// It is for the files that programs write; known are the keys among which a misspelt one is looked for.
func Decode(file string, text []byte, into any, known ...string) error {
	root, err := Parse(file, text)
	if err != nil {
		return err
	}
	return root.Decode(into, known...)
}

// Decode is Decode of a document that has been parsed: n is its root.
func (n *Node) Decode(into any, known ...string) error {
	if n.Kind != Map {
		return n.Errorf("expected a map (key: value), found %s", n.describe())
	}
	err := decode(n.doc.body, into)
	if err == nil {
		return nil
	}
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) && unknown.Token != nil {
		e := n.doc.errorAt(tokenPos(unknown.Token), "unknown key %q", unknown.Token.Value)
		return e.WithHint("%s", source.Suggest(unknown.Token.Value, known))
	}
	return n.doc.syntaxError(err)
}

func decode(body ast.Node, into any) (err error) {
	defer understood(&err)
	return yaml.NodeToValue(body, into, yaml.Strict())
}
