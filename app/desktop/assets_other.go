//go:build !linux

package desktop

// withoutFork runs open. The web views of other systems create no pipes.
func withoutFork(open func()) { open() }
