//go:build desktop && e2e

package main

// The benchmark queries both windows through WebKit's driver.
import _ "parley/app/desktop"
