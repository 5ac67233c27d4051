package timing

// queue are the times at which the last requests leave a queue. As many as it has may wait there.
type queue struct {
	times []int64
	first int // the oldest
}

// oldest is when there is room for another request; 0 where the queue has no bound.
func (q *queue) oldest() int64 {
	if len(q.times) == 0 {
		return 0
	}
	return q.times[q.first]
}

// add notes when another request leaves.
func (q *queue) add(at int64) {
	if len(q.times) > 0 {
		q.times[q.first] = at
		if q.first++; q.first == len(q.times) {
			q.first = 0
		}
	}
}

// all visits the times, the oldest first.
func (q *queue) all(visit func(*int64)) {
	for i := range q.times {
		visit(&q.times[(q.first+i)%len(q.times)])
	}
}
