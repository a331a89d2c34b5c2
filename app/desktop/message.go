package desktop

import (
	"encoding/json"
	"strings"
)

// hostMethods is the prefix of the page's calls.
const hostMethods = "desktop.Host."

// mayPass reports whether the page needs a message to Wails: that its runtime is ready, and calls
// of [Host], which require the document's secret. Wails would accept many more from every script of
// every frame: read and write the clipboard, move, hide and close the window, open links.
func mayPass(message []byte) bool {
	if string(message) == "runtime:ready" {
		return true
	}
	if len(message) == 0 || message[0] != 'C' {
		return false
	}
	// Parsed as Wails does: of duplicate names, both use the last.
	var call struct {
		Name string `json:"name"`
	}
	return json.Unmarshal(message[1:], &call) == nil && strings.HasPrefix(call.Name, hostMethods)
}
