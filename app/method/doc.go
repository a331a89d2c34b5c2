// Package method is the table of everything that a front end can ask Parley for.
// A [Method] has a name, a sentence of documentation, a Go type for its
// parameters and one for its result, and the function behind it. From the types
// come the check of the parameters, the JSON schemas of method.list and the
// TypeScript of the front end, so they cannot disagree.
//
// The gateway and the window call the same [Table], and whatever can go wrong
// between a raw request and the bytes of its answer is handled here, once:
// parameters that are not JSON, unknown, missing, doubled or of the wrong type; a
// handler that panics; a result that cannot be encoded.
//
// The package starts no goroutine: a call runs on the caller's. A table is built
// first and only read afterwards, so that any number of goroutines may call it.
// It knows neither features nor transports; what a transport has to tell a
// handler travels in the context ([WithSurface], [WithConnection],
// [WithEventFilter]).
package method
