// Package usage accounts for tokens and money, and reports what fills a context window (usage.*).
// It starts no goroutine.
package usage
