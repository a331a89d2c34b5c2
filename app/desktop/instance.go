//go:build desktop

package desktop

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// instanceID is the name on the session bus of the one window of a data folder.
func instanceID(dataDir string) string {
	if abs, err := filepath.Abs(dataDir); err == nil {
		dataDir = abs
	}
	sum := sha256.Sum256([]byte(dataDir))
	return "parley_" + hex.EncodeToString(sum[:8])
}
