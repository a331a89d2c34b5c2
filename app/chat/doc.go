// Package chat connects to Mattermost and mirrors sessions to its threads (chat.*, session.mirror). The
// configuration is in package config; threads and commands get their dependencies from the caller.
//
// Goroutines: those of [Service], from Start to Close.
package chat
