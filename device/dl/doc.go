// Package dl opens the shared libraries of drivers at run time, without cgo.
package dl
