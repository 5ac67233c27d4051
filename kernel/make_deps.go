package kernel

import (
	"path"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// deps resolves the wildcards of dep and nosync, and adds the automatic dependencies.
func (m *maker) deps() (err error) {
	defer throw.Catch(&err)
	for i, s := range m.Kernel.Statements {
		s.Deps = m.others(i, "dependency", s.Deps)
		var unsynced []string
		for _, pattern := range s.NoSync {
			pattern, space, scoped := strings.Cut(pattern, "@")
			ids := m.others(i, "nosync", []string{pattern})
			for _, id := range ids {
				if scoped {
					id += "@" + space
				}
				unsynced = append(unsynced, id)
			}
		}
		s.NoSync = nameset.Sorted(unsynced)
	}
	exact := map[*Stmt]bool{}
	for i, s := range m.Kernel.Statements {
		exact[s] = m.more[i].exactDeps
	}
	m.addAutomaticDeps(func(s *Stmt) bool { return !exact[s] })
	return nil
}

// others lists the statements that the wildcards match, except the i-th, sorted.
func (m *maker) others(i int, what string, patterns []string) []string {
	var ids []string
	for _, pattern := range patterns {
		found := false
		for j, other := range m.Kernel.Statements {
			if ok, err := path.Match(pattern, other.ID); err != nil {
				throw.If(m.at(i, "", "malformed wildcard %q of %s", pattern, what))
				return nil
			} else if ok && i != j {
				ids, found = append(ids, other.ID), true
				if m.more[j].pair && j+1 != i {
					ids = append(ids, m.Kernel.Statements[j+1].ID)
				}
			}
		}
		if !found && !strings.ContainsAny(pattern, "*?[") {
			panic(throw.Of(source.New("", m.text, m.more[i].places[pattern], "%s on unknown statement %q", what, pattern)))
		}
	}
	return nameset.Sorted(ids)
}
