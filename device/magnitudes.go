package device

import "math"

// Magnitudes are the sizes of the elements of an array, from which follows what is usual among them. Its zero value has none.
//
// Differences of results are judged relative to the greater of an element and that usual magnitude: an element near zero is often what is
// left of a sum of usual terms, and the order of summation changes it by a part of these. The usual magnitude must not follow a few huge
// elements, beside which all others could be anything, so that it is no mean: three quarters of the elements other than 0 are at least
// as large.
type Magnitudes struct {
	all     int64
	buckets []int64 // by the leading bits of the magnitude as a float64
}

// bucketShift leaves the exponent and 8 bits of the fraction, a step of 0.4 %.
const bucketShift = 44

// Add adds an element. Zeros and what is not finite do not count.
func (m *Magnitudes) Add(v float64) {
	if v == 0 || v-v != 0 {
		return
	}
	if m.buckets == nil {
		m.buckets = make([]int64, 1<<(63-bucketShift))
	}
	m.all++
	m.buckets[math.Float64bits(math.Abs(v))>>bucketShift]++
}

// Usual is the first quartile of what was added, rounded down by up to 0.4 %; 0 where nothing was.
func (m *Magnitudes) Usual() float64 {
	below := int64(0)
	for i, n := range m.buckets {
		if below += n; 4*below >= m.all && n > 0 {
			return max(math.Float64frombits(uint64(i)<<bucketShift), math.SmallestNonzeroFloat64)
		}
	}
	return 0
}
