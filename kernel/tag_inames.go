package kernel

import "strings"

// TagInames maps inames to hardware axes or loop treatments: "i_outer:g.1, i_inner:l.1". An iname that has another tag
// already is an error, except that l.auto gives way and that for removes a tag.
func (k *Kernel) TagInames(text string) (*Kernel, error) {
	c := k.clone()
	for _, item := range strings.Split(text, ",") {
		if strings.TrimSpace(item) == "" {
			continue
		}
		name, tagText, ok := strings.Cut(item, ":")
		if !ok {
			return nil, k.errorf("iname tags %q: %q should be iname:tag", text, strings.TrimSpace(item))
		}
		name = strings.TrimSpace(name)
		tag, err := ParseTag(tagText)
		if err != nil {
			return nil, k.errorf("iname %s: %w", name, err)
		}
		if err := c.setTag(name, tag); err != nil {
			return nil, err
		}
	}
	return c, nil
}
