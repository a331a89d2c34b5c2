package desktop

import (
	"encoding/json"
	"strings"
)

// hostMethods is what the names of the page's calls begin with.
const hostMethods = "desktop.Host."

// mayPass says whether a message of the page to Wails is one that the page has a use for:
// that its runtime is there, and calls of [Host], which want the secret of the document.
// Wails would carry out many more for every script of every frame: read and write the
// clipboard, move, hide and end the window, open links.
func mayPass(message []byte) bool {
	if string(message) == "runtime:ready" {
		return true
	}
	if len(message) == 0 || message[0] != 'C' {
		return false
	}
	// Read as Wails does: where a name comes twice, both read the last one.
	var call struct {
		Name string `json:"name"`
	}
	return json.Unmarshal(message[1:], &call) == nil && strings.HasPrefix(call.Name, hostMethods)
}
