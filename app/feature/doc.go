// Package feature is what the features of Parley share at its border: parameters that
// several of them take, the bounds of one request, and the names of choices. It knows
// none of the features.
package feature
