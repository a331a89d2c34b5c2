// Package tour is the guided tour (demo.*): the scripted model, started when it is first needed, with separate
// folders.
//
// Goroutines: none of its own; the model's server is closed with the service.
package tour
