// Package build holds what Parley is built and packaged with: the scripts beside
// this file, and the icon, which the program needs too.
package build

import _ "embed"

// Icon is the program's icon as a PNG of 512 by 512.
//
//go:embed appicon.png
var Icon []byte
