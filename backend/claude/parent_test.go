//go:build unix

package claude_test

func playParent() {}
