// Package method is the table of the API's methods. A [Method] has a name, a sentence of
// documentation, a Go type for its parameters and one for its result, and the function behind it.
// The validation of the parameters, the JSON schemas of method.list and the TypeScript of the front
// end are derived from the types, so they can't disagree.
//
// The gateway and the window call the same [Table], and everything that can go wrong between a raw
// request and the bytes of its answer is handled here, once: parameters that are invalid JSON,
// unknown, missing, duplicate or of the wrong type; a handler that panics; a result that can't be
// encoded.
//
// The package starts no goroutine: a call runs on the caller's. A table is built first and only
// read afterwards, so that any number of goroutines may call it. It knows neither features nor
// transports; transports pass information to handlers in the context ([WithSurface],
// [WithConnection], [WithEventFilter]).
package method
