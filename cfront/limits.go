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
	maxTokens    = 1_000_000 // after preprocessing
	maxStatement = 50_000    // tokens without a semicolon or brace between them
	maxDepth     = 400       // open brackets and braces
	maxElse      = 5_000     // in one function
)

// meter counts the tokens of a preprocessed file, one by one, and fails where there are too many.
type meter struct {
	ctx                   context.Context
	tokens, run, branches int
	open                  []byte // brackets and braces
}

func (m *meter) take(token string) error {
	if token == "" {
		return nil
	}
	m.tokens++
	m.run++
	switch token {
	case "(", "[", "{":
		m.open = append(m.open, token[0])
	case ")", "]", "}":
		m.open = m.open[:max(0, len(m.open)-1)]
	case "else":
		m.branches++
	}
	if c := token[0]; len(token) == 1 && (c == '{' || c == '}' || (c == ';' || c == ',') && (len(m.open) == 0 || m.open[len(m.open)-1] == '{')) {
		m.run = 0
	}
	if len(m.open) == 0 {
		m.branches = 0
	}
	switch {
	case m.tokens > maxTokens:
		return fmt.Errorf("the preprocessed text has more than %d tokens", maxTokens)
	case m.run > maxStatement:
		return fmt.Errorf("a statement has more than %d tokens", maxStatement)
	case len(m.open) > maxDepth:
		return fmt.Errorf("more than %d brackets are open at once", maxDepth)
	case m.branches > maxElse:
		return fmt.Errorf("a function has more than %d branches", maxElse)
	case m.tokens%4096 == 0 && m.ctx.Err() != nil:
		return errors.New("stopped")
	}
	return nil
}
