// Package embedded keeps rooms on this machine, in a file of their own: messages come
// and go all day, and what else Parley keeps should not wait for them. It is also what
// a store that spans machines keeps of it here ([Store.Adopt] and what follows).
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
// A message is on the disk before anybody hears of it. Those that are said at the same
// time share one write.
//
// Goroutines: one that writes messages, ended by Close.
package embedded
