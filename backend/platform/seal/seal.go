package seal

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// Process seals this process. It must be called before anything else starts or reads the
// environment. It returns the original environment, and removes the secrets, the
// variables that secret selects, from [os.Environ]. The error lists what failed, for the
// log: everything possible is done.
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

// Getenv looks up variables in an environment returned by [Process].
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
