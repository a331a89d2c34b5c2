// Package chat mirrors sessions into threads of a team chat, takes questions and commands from there (chat.*), and has the tools that read it.
//
// Goroutines: those of [Service], from Start to Close.
package chat
