package seal

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// Process seals this process. It must be called before anything else starts or reads the
// environment. It returns that as it was, and takes the secrets, those variables that
// secret names, out of what [os.Environ] gives from now on. The error says what could not
// be done, for the log: all that could be is done.
func Process(secret func(name string) bool) (environ []string, err error) {
	wipe, err := seal()
	environ = slices.Clone(os.Environ())
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !secret(name) {
			continue
		}
		err = errors.Join(err, os.Unsetenv(name))
		if wipe != nil && value != "" {
			err = errors.Join(err, wipe.value(name, value))
		}
	}
	if wipe != nil {
		wipe.close()
	}
	return environ, err
}

// Getenv finds variables in an environment as [Process] returns it.
func Getenv(environ []string) func(name string) string {
	return func(name string) string {
		for _, pair := range environ {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
}
