// Package filefind finds the files of a folder by a few typed letters, for who wants to
// mention one. It keeps an [Index] of the folders that were asked about last: the
// files that git knows or would add, where there is a checkout, else all that a
// bounded walk finds and no .gitignore names. Links are listed and never followed, so that a loop of them
// ends nowhere.
//
// It knows nothing of sessions, and reads names only, no contents but those of .gitignore.
//
// # Goroutines
//
// One for each index that is being made or renewed, ended and waited for by
// [Finder.Close]. git is a child of it, ended with it; when Parley is killed, git
// dies of its closed pipe.
//
// # Bounds
//
// At most [maxFolders] folders are kept, each with at most [maxEntries] names; what
// is over is left out, and the answer says so. An index is renewed when somebody
// asks and it is older than [maxAge]; the old one answers meanwhile.
package filefind
