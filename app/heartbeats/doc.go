// Package heartbeats serves scheduled prompts (heartbeat.*), each run a separate session, with the
// tool for them. Goroutines are those of the back end's package.
package heartbeats
