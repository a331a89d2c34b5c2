// Package chat connects to the team chat and shows sessions in its threads (chat.*, session.mirror). What was
// decided about it is in package config; what threads and commands reach is handed to it.
//
// Goroutines: those of [Service], from Start to Close.
package chat
