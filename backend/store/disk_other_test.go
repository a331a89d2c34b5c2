//go:build !linux

package store_test

import "testing"

func smallDisk(t *testing.T, _ int) string {
	t.Helper()
	t.Skip("no small disk can be mounted here")
	return ""
}

func growDisk(*testing.T, string, int) {}
