//go:build desktop && e2e

package desktop

// automation_linux.c lets the end-to-end tests drive the window. It is compiled in
// under the tag e2e only.
