// Package build has the files for building and packaging Parley: the scripts beside
// this file, and what the program itself needs: the icon, and the program that the
// CLI spawns.
package build

import (
	"embed"
	"io/fs"
)

// Icon is the program's icon as a PNG of 512 by 512.
//
//go:embed appicon.png
var Icon []byte

//go:embed all:relay
var relay embed.FS

// Relay contains the built small program of package toolserver/relay, parley-mcp,
// or nothing.
func Relay() fs.FS {
	dir, err := fs.Sub(relay, "relay")
	if err != nil {
		panic(err) // the path is a constant
	}
	return dir
}
