// Package push sends notifications to the user's addresses: to a webhook, signed
// according to standardwebhooks.com, or to a topic of an ntfy server.
//
// Nothing waits for it. Each address has a bounded in-memory queue whose entries are
// retried for a while and then dropped; pending ones are lost when Parley ends. Redirects
// aren't followed, answers are barely read, and an address that answers "gone" gets nothing
// more until a user tests it. No error contains an address or a secret, only the host's
// name.
//
// Goroutines: one for each address with something to send; Close waits for all. The package
// does not know what happened, nor who wants to hear of it.
package push
