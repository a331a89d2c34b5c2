// Package room is what rooms are: places in which sessions and people talk to each
// other. It has the names, limits, receipts and frames of them as plain values, and
// the interface of whoever keeps them ([Store]). It does no I/O.
//
// # Numbers
//
// Every message gets a number when it is kept. Numbers rise with every message of a
// room, with holes; a cursor is the number of the last message that was seen, so that
// none is skipped and none comes twice, whatever the clocks say.
//
// # Members
//
// A member is a session or the user at one Parley. It stays one until it leaves or
// is sent away: processes come and go meanwhile. Those that left are remembered for as
// long as messages are that they received.
//
// How far messages have come with a member is its [Progress], which only the Parley
// writes where the member is. A [Room] may be changed by all of them.
//
// # Words of others
//
// What a member says is shown to models in a frame ([Frame]): every line of it begins
// with a mark that no line of Parley's has, and whatever could hide or reorder text is
// spelled out. Who said it stands in Parley's lines.
package room
