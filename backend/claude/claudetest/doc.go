// Package claudetest helps to test what runs the Claude Code CLI. It has a fake CLI
// for the faults that the real one does not make on demand ([Main], [Scenario]), it
// finds the real one ([RealCLI]), and it holds captures of what the real one said
// ([Captures]), which win over any fake.
//
// The fake is the test binary itself, run again with a variable in its environment;
// a package that uses it calls [Main] from TestMain. It knows the protocol's lines
// and nothing of the packages under test.
//
// The captures are recorded by this package's own test, with the real CLI against
// a scripted model, after the pinned CLI was raised or a scenario was added:
//
//	go test ./backend/claude/claudetest -run TestRecord -record
package claudetest
