// Package doctor looks at everything that Parley needs and keeps, and says of each thing
// whether it is as it should be, what it means, what a user can do, and puts right what is
// safe to put right. What it looks at is a [Machine], so that tests bring their own.
//
// What a running Parley itself sees is package backend/problem's; how whole the data is,
// package app/checkup says, and this one passes on.
//
// Goroutines: none that outlives a call.
package doctor
