//go:build desktop && e2e

package main

// The benchmark asks both windows through WebKit's driver.
import _ "parley/app/desktop"
