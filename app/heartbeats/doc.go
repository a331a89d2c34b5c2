// Package heartbeats is about prompts that run on a schedule (heartbeat.*), each run a session of its
// own, with the tool for them. Goroutines are those of the back end's package.
package heartbeats
