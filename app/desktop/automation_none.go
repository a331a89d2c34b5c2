//go:build !desktop || !e2e || !linux

package desktop

// testPass is for programs that are made for tests.
func testPass() string { return "" }
