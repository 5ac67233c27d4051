package kernel

import (
	"path"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
)

// deps resolves the wildcards of dep and nosync, and adds the automatic dependencies.
func (m *maker) deps() error {
	for i, s := range m.Kernel.Statements {
		var err error
		if s.Deps, err = m.others(i, "dependency", s.Deps); err != nil {
			return err
		}
		var unsynced []string
		for _, pattern := range s.NoSync {
			pattern, space, scoped := strings.Cut(pattern, "@")
			ids, err := m.others(i, "nosync", []string{pattern})
			if err != nil {
				return err
			}
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
func (m *maker) others(i int, what string, patterns []string) ([]string, error) {
	var ids []string
	for _, pattern := range patterns {
		found := false
		for j, other := range m.Kernel.Statements {
			if ok, err := path.Match(pattern, other.ID); err != nil {
				return nil, m.at(i, "", "malformed wildcard %q of %s", pattern, what)
			} else if ok && i != j {
				ids, found = append(ids, other.ID), true
				if m.more[j].pair && j+1 != i {
					ids = append(ids, m.Kernel.Statements[j+1].ID)
				}
			}
		}
		if !found && !strings.ContainsAny(pattern, "*?[") {
			return nil, source.New("", m.text, m.more[i].places[pattern], "%s on unknown statement %q", what, pattern)
		}
	}
	return nameset.Sorted(ids), nil
}
