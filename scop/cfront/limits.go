package cfront

import (
	"context"
	"errors"
	"fmt"
)

// Limits of what is read. Parsing, checking and converting recurse into what they read, and a stack that grows beyond the limit of
// the runtime ends the process: what bounds the depth of the recursion is bounded here, far above what people write.
const (
	maxBytes     = 8 << 20   // of one file
	maxExpansion = 4_000_000 // tokens that macro expansion handles
	maxTokens    = 1_000_000 // after preprocessing
	maxStatement = 50_000    // tokens without a semicolon or brace between them
	maxDepth     = 400       // open brackets and braces
)

// meter takes the tokens of a preprocessed file, one by one, and fails where there are too many.
type meter struct {
	ctx                context.Context
	tokens, run, depth int
}

// Write takes one token, or the space before one.
func (m *meter) Write(token []byte) (int, error) {
	if len(token) == 0 {
		return 0, nil
	}
	m.tokens++
	m.run++
	switch token[0] {
	case '(', '[', '{':
		m.depth++
	case ')', ']', '}':
		m.depth--
	case ' ', '\n', '\t':
		m.tokens--
		m.run--
	}
	if c := token[0]; len(token) == 1 && (c == '{' || c == '}' || c == ';' && m.depth >= 0) {
		m.run = 0
	}
	switch {
	case m.tokens > maxTokens:
		return 0, fmt.Errorf("the preprocessed text has more than %d tokens", maxTokens)
	case m.run > maxStatement:
		return 0, fmt.Errorf("a statement has more than %d tokens", maxStatement)
	case m.depth > maxDepth:
		return 0, fmt.Errorf("more than %d brackets are open at once", maxDepth)
	case m.tokens%4096 == 0 && m.ctx.Err() != nil:
		return 0, errors.New("stopped")
	}
	return len(token), nil
}
