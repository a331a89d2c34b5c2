// Package signin signs a user in to Claude with the CLI's own login, which Parley drives for them (account.*). The CLI
// prints an address, opens it if there is a browser, and reads the code that the web page shows; it stores the
// credential itself, so Parley never sees it. The login needs no terminal: it reads and writes lines.
//
// Goroutines: one for each login, which waits for the CLI's end. Close waits for it.
package signin
