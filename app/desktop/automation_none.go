//go:build !desktop || !e2e || !linux

package desktop

// testPass only exists in programs built for tests.
func testPass() string { return "" }
