package kernel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tagKinds are the tags without an axis.
var tagKinds = map[string]TagKind{
	"": Sequential, "for": Sequential, "seq": Sequential, "unr": Unroll, "ilp": ILP, "ilp.unr": ILP, "l.auto": LocalAuto, "mma": Matrix,
}

// axisKinds are the tags before the number of an axis.
var axisKinds = map[string]TagKind{"g.": GroupAxis, "l.": LocalAxis}

// TagNames lists the iname tags, with N for the number of an axis.
func TagNames() []string {
	var names []string
	for text := range axisKinds {
		names = append(names, text+"N")
	}
	for text := range tagKinds {
		if text != "" {
			names = append(names, text)
		}
	}
	slices.Sort(names)
	return names
}

// ParseTag reads an iname tag: g.0 to g.2, l.0 to l.2, l.auto, unr, ilp, mma, or for ("" also) for a sequential loop.
func ParseTag(text string) (Tag, error) {
	text = strings.TrimSpace(text)
	if kind, ok := tagKinds[text]; ok {
		return Tag{Kind: kind}, nil
	}
	if len(text) > 2 && axisKinds[text[:2]] != 0 {
		if axis, err := strconv.Atoi(text[2:]); err == nil && strconv.Itoa(axis) == text[2:] {
			if axis < 0 || axis > 2 {
				return Tag{}, fmt.Errorf("iname tag %q: hardware axes are 0, 1 and 2", text)
			}
			return Tag{axisKinds[text[:2]], axis}, nil
		}
	}
	return Tag{}, fmt.Errorf("unknown iname tag %q (tags are g.0 to g.2, l.0 to l.2, l.auto, unr, ilp, mma and for)", text)
}

// String prints the tag as ParseTag reads it.
func (t Tag) String() string {
	text := [...]string{"for", "g.", "l.", "l.auto", "unr", "ilp", "rolled", "kept", "mma"}[t.Kind]
	if strings.HasSuffix(text, ".") {
		text += strconv.Itoa(t.Axis)
	}
	return text
}

// StaysLoop reports whether compilers do not unroll the loop.
func (t Tag) StaysLoop() bool { return t.Kind == Rolled || t.Kind == Kept }

// Parallel reports whether the tag maps an iname to a hardware axis.
func (t Tag) Parallel() bool {
	return t.Kind == GroupAxis || t.Kind == LocalAxis || t.Kind == LocalAuto
}

// CheckTag is the part of Check about the tag of one iname: no other iname of a statement is on its hardware axis, and no
// reduction over it goes beyond a work-group.
func (k *Kernel) CheckTag(iname string) error {
	tag := k.Tags[iname]
	for _, s := range k.Statements {
		all := s.AllInames()
		if !slices.Contains(all, iname) {
			continue
		}
		if tag.Parallel() && tag.Kind != LocalAxis && slices.Contains(s.ReductionInames(), iname) {
			return k.Errorf("statement %s reduces over iname %s, which is tagged %s: what is reduced must be in one work-group, or in one work-item; reduce over a sequential iname or one on l.0 to l.2", s.ID, iname, tag)
		}
		if tag.Kind != GroupAxis && tag.Kind != LocalAxis {
			continue
		}
		for _, other := range all {
			if other != iname && k.Tags[other] == tag {
				err := k.Errorf("statement %s: inames %s and %s are both tagged %s", s.ID, other, iname, tag)
				if slices.Contains(s.ReductionInames(), iname) && slices.Contains(s.ReductionInames(), other) {
					err = fmt.Errorf("%w: work-items take part in one reduction at a time; give each a statement of its own, as in <> s = sum(%s, ...)", err, other)
				}
				return err
			}
		}
	}
	return nil
}
