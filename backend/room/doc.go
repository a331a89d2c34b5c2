// Package room defines rooms: places where sessions and people talk to each other.
// It has their names, limits, receipts and frames as plain values, and the
// interface of their store ([Store]). It does no I/O.
//
// # Numbers
//
// Every message gets a number when it is stored. Numbers increase within a room, with
// gaps; a cursor is the number of the last message seen, so that none is skipped or
// repeated, whatever the clocks say.
//
// # Members
//
// A member is a session or the user at one Parley. It stays a member until it leaves
// or is removed, whatever happens to its processes. Former members are remembered as
// long as messages that they received.
//
// A member's progress through the messages is its [Progress], which only the
// member's own Parley writes. All may change a [Room].
//
// # Words of others
//
// Models see a member's messages in a frame ([Frame]): every line starts with a mark
// that no line of Parley's has, and text that could hide or reorder other text is
// spelled out. Parley's own lines name the author.
package room
