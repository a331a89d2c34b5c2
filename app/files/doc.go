// Package files handles files that users mention in prompts, attach, open in an editor and save.
// Its only goroutine is the one that sweeps old files.
package files
