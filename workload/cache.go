package workload

import (
	"container/list"
	"fmt"
	"sync"
	"sync/atomic"

	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/kernel"
)

// counted holds the statistics of the kernels of this process, by content: variants of a script that is loaded again,
// or kernels that several front ends derive alike, are counted once (Stevens and Klöckner, section 6.1).
var counted = newCache(1024)

// cache keeps what was last asked for of kernels.
type cache struct {
	limit int // of entries

	mu      sync.Mutex
	entries map[cacheKey]*list.Element // of *cacheEntry
	recent  *list.List                 // latest first
	made    int                        // entries made, for tests
}

type cacheKey struct {
	kernel  string // kernel.Key
	options features.Options
	what    string // "" for the symbolic statistics, the sizes of those at given sizes, found or frequency
}

// Keys of the occurrences, and of how often a kernel was counted.
const (
	found     = "occurrences"
	frequency = "frequency"
)

type cacheEntry struct {
	key  cacheKey
	make func() (any, error)
}

func newCache(limit int) *cache {
	return &cache{limit: limit, entries: map[cacheKey]*list.Element{}, recent: list.New()}
}

// statistics returns the symbolic counts of the kernel, whose key is given.
func (c *cache) statistics(k *kernel.Kernel, key string, options features.Options) (*features.Statistics, error) {
	return entry(c, cacheKey{kernel: key, options: options}, func() (*features.Statistics, error) { return features.Count(k, options) })
}

// manySizes is the number of sizes at which a kernel is counted before its symbolic counts are worth their time.
const manySizes = 32

// often is how often a kernel was counted at sizes.
type often struct {
	sizes    atomic.Int64
	symbolic atomic.Pointer[features.Statistics] // nil where there are none, or not yet
}

// count makes the symbolic counts, unless something cannot be counted so.
func (o *often) count(k *kernel.Kernel, options features.Options) {
	if s, err := features.Count(k, options); err == nil && len(s.Warnings) == 0 {
		o.symbolic.Store(s)
	}
}

// at returns the counts of the kernel at sizes. A kernel that is asked for at many gets symbolic counts, which are made meanwhile: they are
// the same at all sizes, and quicker than to count anew.
func (c *cache) at(k *kernel.Kernel, key string, options features.Options, sizes map[string]int64) (*features.Statistics, error) {
	asked, _ := entry(c, cacheKey{key, options, frequency}, func() (*often, error) { return new(often), nil })
	if s := asked.symbolic.Load(); s != nil {
		return s, nil
	}
	return entry(c, cacheKey{key, options, fmt.Sprintf("at %s", format.SizeList(sizes, ","))}, func() (*features.Statistics, error) {
		if asked.sizes.Add(1) == manySizes {
			go asked.count(k, options)
		}
		occurrences, err := entry(c, cacheKey{key, options, found}, func() (*features.Occurrences, error) { return features.Find(k, options) })
		if err != nil {
			return nil, err
		}
		return occurrences.CountAt(sizes)
	})
}

// entry returns what the cache has under a key, and makes it if it has not. Callers that ask for the same at the same time wait for
// one of them. Errors are not kept.
func entry[V any](c *cache, at cacheKey, make func() (V, error)) (V, error) {
	c.mu.Lock()
	e, ok := c.entries[at]
	if ok {
		c.recent.MoveToFront(e)
	} else {
		e = c.recent.PushFront(&cacheEntry{at, sync.OnceValues(func() (any, error) { return make() })})
		c.entries[at] = e
		c.made++
		for c.recent.Len() > c.limit {
			c.drop(c.recent.Back())
		}
	}
	c.mu.Unlock()
	v, err := e.Value.(*cacheEntry).make()
	if err != nil {
		c.mu.Lock()
		if c.entries[at] == e {
			c.drop(e)
		}
		c.mu.Unlock()
	}
	return v.(V), err
}

func (c *cache) drop(e *list.Element) {
	c.recent.Remove(e)
	delete(c.entries, e.Value.(*cacheEntry).key)
}
