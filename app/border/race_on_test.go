//go:build race

package border

// raceEnabled makes Parley be built like these tests.
const raceEnabled = true
