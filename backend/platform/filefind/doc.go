// Package filefind finds the files of a folder by a few typed letters, for mentions. It
// keeps an [Index] of the most recently used folders: the files that git tracks or would add
// in a checkout, else everything that a bounded walk finds and no .gitignore excludes. Links
// are listed and never followed, so that cycles do no harm.
//
// It knows nothing of sessions, and reads only names, and contents only of .gitignore.
//
// # Goroutines
//
// One per index being built or renewed; [Finder.Close] ends them and waits. git
// is their child and ends with them; if Parley is killed, git dies of its closed
// pipe.
//
// # Bounds
//
// At most [maxFolders] folders are kept, each with at most [maxEntries] names; if
// there are more, the answer says so. An index older than [maxAge] is renewed at
// the next query; the old one is used until then.
package filefind
