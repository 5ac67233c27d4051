package inline

import "gpuperf/cfront"

func block(at cfront.Pos, items []cfront.Stmt, last int) *cfront.Block {
	return &cfront.Block{Pos: at, Items: items, Last: last}
}

func do(at cfront.Pos, x cfront.Expr) *cfront.Do { return &cfront.Do{Pos: at, X: x} }
