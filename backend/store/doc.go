// Package store keeps typed records in one bbolt file. It is a leaf: it knows no
// domain, only collections of JSON values with string keys, their indexes, and
// the number of the layout.
//
// What it adds to bbolt:
//
//   - Nothing in the file is trusted before it was checked. bbolt maps the file
//     into memory and trusts it: a truncated or overwritten file makes it
//     panic, loop or die of a signal that no program can catch, and it cannot distinguish
//     a damaged value from a good one. So Open reads the file first, without
//     mapping it, follows every page, and compares the checksum that every value
//     has here. A damaged file is set aside as store.broken-<time>.db; its
//     intact records are copied to a new one, and the [Report] says so, because then
//     something may be missing that the caller can recreate.
//   - While the file is in use, an unreadable page is an error of
//     that call and of all later ones, not the end of the process.
//   - Unknown fields of a record, written by a newer program,
//     survive until the record is deleted (see [Records.Put]).
//   - The layout has a number. Older layouts are migrated in one transaction, newer
//     ones are rejected unchanged.
//
// A write is on disk when its call returns. Writers wait for each other;
// readers never wait.
//
// # The file
//
//	meta
//	    schema                     the number of completed migrations
//	records
//	    <collection>
//	        <key>                  a record
//	indexes
//	    <collection>
//	        <index>
//	            <term> 00 <key>    that the record has the term
//
// A value is, in this order: 1 byte format (1), 4 bytes CRC-32C, 8 bytes number of
// the transaction that wrote it, 1 byte length and the path of its bucket
// ("records/sessions"), and the JSON. The checksum covers the key and everything
// after it. Path and number are for recovery from a damaged file: they identify
// records, and the newest of several copies, on pages that nothing links to. An
// index has checksums only: it can be rebuilt from the records, which is done if it
// is missing.
//
// The package starts no goroutine.
package store
