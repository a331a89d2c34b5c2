// Package feature is what Parley's features share in their API: common parameters, limits of
// requests, and the names of choices. It knows none of the features.
package feature
