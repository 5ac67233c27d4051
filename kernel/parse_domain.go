package kernel

import (
	"errors"
	"slices"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// setWords are the words of isl's notation that are no names.
var setWords = map[string]bool{
	"and": true, "or": true, "not": true, "exists": true, "mod": true, "floor": true, "floord": true, "ceil": true,
	"ceild": true, "min": true, "max": true, "true": true, "false": true, "implies": true,
}

// parseDomain reads a set in isl's notation in which the parameters need not be declared: every name that is neither in
// the tuple nor under exists is one. The braces may be left out.
func parseDomain(text string) (*polycount.Set, error) {
	full, added, at := text, "", 0
	if !strings.Contains(text, "{") {
		full = "{" + text + "}"
		added, at = "{", 0
	}
	names := undeclared(full)
	if len(names) > 0 {
		insert, where := "["+strings.Join(names, ", ")+"] -> ", 0
		if open := strings.IndexByte(full, '['); open >= 0 && open < strings.IndexByte(full, '{') {
			where = open + 1
			insert = strings.Join(names, ", ")
			if rest := strings.TrimSpace(full[where:]); !strings.HasPrefix(rest, "]") {
				insert += ", "
			}
		}
		full = full[:where] + insert + full[where:]
		added, at = insert+added, where
	}
	plain, quotient := scaleQuotients(full)
	set, err := polycount.ParseSet(plain)
	var e *source.Error
	if err != nil && quotient >= 0 && errors.As(err, &e) {
		// columns are those of the rewritten text: point at the quotient
		return nil, &source.Error{Pos: source.PosAt(text, max(0, quotient-len(added))), Line: lineAt(text, 1), Msg: e.Msg, Hint: e.Hint}
	}
	if err != nil && errors.As(err, &e) && added != "" {
		// show the text as the user wrote it
		moved := *e
		pos := source.PosAt(full, at)
		if moved.Pos.Line == pos.Line && moved.Pos.Column > pos.Column {
			moved.Pos.Column = max(1, moved.Pos.Column-len([]rune(added)))
		}
		return nil, &source.Error{Pos: moved.Pos, Line: lineAt(text, moved.Pos.Line), Msg: moved.Msg, Hint: moved.Hint}
	}
	return set, err
}

func lineAt(text string, line int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

// undeclared lists the names in a set that its text does not declare: not in the leading brackets, the tuple, or after
// exists.
func undeclared(text string) []string {
	toks, err := expr.Lex(text)
	if err != nil {
		return nil // ParseSet reports it
	}
	var declared, used []string
	inBrackets := false
	beforeColon := true // names in brackets before the first colon are declarations
	for i := 0; i < len(toks); i++ {
		switch t := toks[i]; {
		case t.Text == "[":
			inBrackets = true
		case t.Text == "]":
			inBrackets = false
		case t.Text == ":":
			beforeColon = false
		case t.Text == ";":
			beforeColon = true
		case t.Kind == expr.TokName && t.Text == "exists":
			for i++; i < len(toks) && toks[i].Text != ":" && toks[i].Kind != expr.TokEnd; i++ {
				if toks[i].Kind == expr.TokName {
					declared = append(declared, toks[i].Text)
				}
			}
		case t.Kind == expr.TokName && !setWords[t.Text]:
			if beforeColon && inBrackets {
				declared = append(declared, t.Text)
			} else if !beforeColon && !slices.Contains(used, t.Text) {
				used = append(used, t.Text)
			}
		case t.Kind == expr.TokNumber: // 16n is 16*n
			if name := strings.TrimLeft(t.Text, "0123456789"); expr.IsName(name) && !setWords[name] && !slices.Contains(used, name) {
				used = append(used, name)
			}
		}
	}
	return nameset.Remove(used, declared...)
}

// parseAssumptions reads conditions on parameters, with or without braces: "n >= 1 and n % 16 = 0".
func parseAssumptions(text string) (*polycount.Set, error) {
	full, shift := text, 0
	if !strings.Contains(text, "{") {
		full, shift = "{ : "+text+"}", 4
	}
	set, err := parseDomain(full)
	var e *source.Error
	if errors.As(err, &e) && shift > 0 && e.Pos.Line == 1 {
		moved := *e
		moved.Pos.Column = max(1, moved.Pos.Column-shift)
		moved.Line = lineAt(text, 1)
		return nil, &moved
	}
	if err == nil && len(set.Dims()) > 0 {
		return nil, source.New("", text, 0, "assumptions speak of parameters only, this is a set over %s", nameset.Text(set.Dims()))
	}
	return set, err
}
