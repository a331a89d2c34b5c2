// Package tool is the host of Parley's own tools for the models of sessions. A feature
// gives it a [Set]; which sets a session has follows from its workspace and from what the
// user chose (the methods toolset.*). What a tool asks people before it does something
// goes through [Asker].
//
// The package starts no goroutine. It knows neither the features nor who runs sessions.
package tool
