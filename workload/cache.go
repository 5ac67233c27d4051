package workload

import (
	"container/list"
	"sync"

	"gpuperf/features"
	"gpuperf/kernel"
)

// counted holds the statistics of the kernels of this process, by content: variants of a script that is loaded again,
// or kernels that several front ends derive alike, are counted once (Stevens and Klöckner, section 6.1).
var counted = newCache(512)

// cache keeps the statistics that were last asked for.
type cache struct {
	limit int // of entries

	mu      sync.Mutex
	entries map[cacheKey]*list.Element // of *cacheEntry
	recent  *list.List                 // latest first
	made    int                        // counts made, for tests
}

type cacheKey struct {
	kernel  string // kernel.Key
	options features.Options
}

type cacheEntry struct {
	key   cacheKey
	count func() (*features.Statistics, error)
}

func newCache(limit int) *cache {
	return &cache{limit: limit, entries: map[cacheKey]*list.Element{}, recent: list.New()}
}

// statistics returns the counts of the kernel, whose key is given. Callers that ask for the same at the same time wait for
// one of them. Errors are not kept.
func (c *cache) statistics(k *kernel.Kernel, key string, options features.Options) (*features.Statistics, error) {
	at := cacheKey{key, options}
	c.mu.Lock()
	e, ok := c.entries[at]
	if ok {
		c.recent.MoveToFront(e)
	} else {
		e = c.recent.PushFront(&cacheEntry{at, sync.OnceValues(func() (*features.Statistics, error) { return features.Count(k, options) })})
		c.entries[at] = e
		c.made++
		for c.recent.Len() > c.limit {
			c.drop(c.recent.Back())
		}
	}
	c.mu.Unlock()
	s, err := e.Value.(*cacheEntry).count()
	if err != nil {
		c.mu.Lock()
		if c.entries[at] == e {
			c.drop(e)
		}
		c.mu.Unlock()
	}
	return s, err
}

func (c *cache) drop(e *list.Element) {
	c.recent.Remove(e)
	delete(c.entries, e.Value.(*cacheEntry).key)
}
