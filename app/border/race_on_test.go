//go:build race

package border

// raceEnabled says that Parley is to be built like these tests.
const raceEnabled = true
