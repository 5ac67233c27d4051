package polycount

// isZeroEverywhere decides whether every piece vanishes on its domain.
func (p *Poly) isZeroEverywhere() (zero bool, err error) {
	defer rescue(&err)
	return len(p.pieces) == 0, nil
}
