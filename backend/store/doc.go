// Package store keeps typed records in one bbolt file. It is a leaf: it knows no
// domain, only collections of JSON values with string keys, their indexes, and
// the number of the layout.
//
// What it adds to bbolt:
//
//   - Nothing in the file is believed before it was checked. bbolt maps the file
//     into memory and trusts it: a file that was cut off or overwritten makes it
//     panic, loop or die of a signal that no program can catch, and it cannot tell
//     a damaged value from a good one. So Open reads the file first, without
//     mapping it, follows every page, and compares the checksum that every value
//     carries here. A damaged file is set aside as store.broken-<time>.db; what is
//     intact in it goes into a new one, and the [Report] says so, because then
//     something may be missing that the caller can make again.
//   - While the file is in use, a page that the disk does not give is an error of
//     that call and of all later ones, not the end of the process.
//   - Fields of a record that this program does not know, because a newer one wrote
//     them, survive until the record is deleted (see [Records.Put]).
//   - The layout has a number. Older layouts are migrated in one transaction, newer
//     ones are refused untouched.
//
// A write has reached the disk when its call returns. Writers wait for each other;
// readers wait for nobody.
//
// # The file
//
//	meta
//	    schema                     the number of migrations that have run
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
// ("records/sessions"), and the JSON. The checksum is over the key and all that
// follows it. Path and number are there for a damaged file: records can be told
// apart, and the newest of several copies found, where no way leads to their page. An
// index has checksums only: it can be made again from the records, and it is when it
// is missing.
//
// The package starts no goroutine.
package store
