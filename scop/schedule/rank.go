package schedule

// rank is the number of independent rows.
func rank(rows [][]int64) int {
	if len(rows) == 0 {
		return 0
	}
	return len(rows[0]) - len(nullspace(rows, len(rows[0])))
}

// nullspace is a basis of the vectors that are orthogonal to all rows, in lowest terms, the first coefficient of each positive.
func nullspace(rows [][]int64, width int) (basis [][]int64) {
	equalities := make([][]int64, len(rows))
	copy(equalities, rows)
	budget := maxPairs
	for _, l := range coneOf(width, nil, equalities, &budget).lines {
		for _, v := range l.x {
			if v < 0 {
				for i := range l.x {
					l.x[i] = -l.x[i]
				}
			}
			if v != 0 {
				break
			}
		}
		basis = append(basis, l.x)
	}
	return basis
}
