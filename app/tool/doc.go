// Package tool is the host of Parley's own tools for the models of sessions. A feature adds a
// [Set]; which sets a session has depends on its workspace and the user's choice (the methods
// toolset.*). [Asker] asks users before a tool does something.
//
// The package starts no goroutine. It knows neither the features nor who runs sessions.
package tool
