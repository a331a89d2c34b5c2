// Package embedded stores rooms on this computer, in their own file: messages are
// frequent, and Parley's other data shouldn't wait for them. It is also the local copy
// of a store that spans computers ([Store.Adopt] and what follows).
//
// # Collections
//
//	rooms       <room>                     room.Room
//	messages    <room> \x01 <number>       room.Message
//	    id      message id                 unique
//	    thread  room, first of the thread, number
//	progress    <room> \x01 <member>       room.Progress
//	outbox      <order>                    room.Message that waits for a connection
//	marks       <name>                     a number or a word of the store itself
//
// # Writing
//
// A message is on disk before anyone is told. Concurrent messages share one write.
//
// Goroutines: one that writes messages, ended by Close.
package embedded
