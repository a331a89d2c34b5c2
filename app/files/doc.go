// Package files is about files that people name in prompts, send with them, open in an editor and
// save. It starts no goroutine but what its sweep of old files needs.
package files
