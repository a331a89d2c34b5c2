// Package claudetest helps to test code that runs the Claude Code CLI. It has a
// fake CLI for faults that the real one doesn't produce on demand ([Main],
// [Scenario]), it finds the real one ([RealCLI]), and it has captures of the real
// one's output ([Captures]), which take precedence over any fake.
//
// The fake is the test binary itself, run again with a variable in its environment;
// a package that uses it calls [Main] from TestMain. It knows the protocol's lines
// and nothing of the packages under test.
//
// This package's own test records the captures, using the real CLI and a scripted
// model. Record again after raising the pinned CLI or adding a scenario:
//
//	go test ./backend/claude/claudetest -run TestRecord -record
package claudetest
