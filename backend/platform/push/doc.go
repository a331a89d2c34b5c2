// Package push sends word to addresses that a user wrote: to a webhook, signed as
// standardwebhooks.com says, or to a topic of an ntfy server.
//
// Nothing waits for it. What is to be sent stands in a bounded queue in memory for each
// address, is tried again for a while, and is then left out; what waits when Parley ends is
// lost. Redirects are not followed, answers are hardly read, and an address that says that
// it is gone gets nothing more before a user tries it. No error has an address or a secret
// in it, only the name of the host.
//
// Goroutines: one for each address with something to send; Close waits for all. The package
// does not know what happened, nor who wants to hear of it.
package push
