// Package restart continues Parley as the program now on disk: this process executes it in its own
// place. It decides when: immediately if that interrupts nothing, otherwise when the sessions have
// finished, or when a user allows interrupting them. The program is tested before anything is given
// up.
//
// It has one goroutine while it waits for sessions; Close ends that. Package app/role executes the
// program.
package restart
