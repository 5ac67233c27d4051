package workload

import "maps"

// WorkRemoved returns cases of the same kernel, at the same sizes, of which only the accesses to global memory are left
// (Stevens and Klöckner, section 7.1.1). Cases that share a kernel still do.
func WorkRemoved(cases []*Case) ([]*Case, error) {
	var out []*Case
	for _, c := range cases {
		k, err := c.Kernel.left()
		if err != nil {
			return nil, err
		}
		removed := *c
		removed.Kernel = k
		removed.Identity.Args = map[string]string{"remove_work": "all", "accumulators": "1"}
		maps.Copy(removed.Identity.Args, c.Identity.Args)
		out = append(out, &removed)
	}
	return out, nil
}
