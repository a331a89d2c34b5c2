// Package doctor checks everything that Parley needs and stores. For each thing it reports its
// state, what that means and what the user can do, and repairs what is safe to repair. It checks a
// [Machine], so that tests can provide their own.
//
// Problems that a running Parley detects itself are in package backend/problem; package app/checkup
// checks the integrity of the data, and this package forwards its findings.
//
// Goroutines: none that outlives a call.
package doctor
