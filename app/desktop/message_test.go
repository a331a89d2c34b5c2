package desktop

import "testing"

func TestMayPass(t *testing.T) {
	for message, want := range map[string]bool{
		"runtime:ready": true,
		`C{"name":"desktop.Host.Call","args":["pass","session.list","{}"],"callbackID":"1"}`: true,
		`C{"callbackID":"1","args":[],"name":"desktop.Host.Shown"}`:                          true,
		"": false, "C": false, "C{": false, "runtime:readyC{}": false,
		`C{"name":":wails:ClipboardGetText","args":[],"callbackID":"1"}`:                  false,
		`C{"name":":wails:ClipboardSetText","args":["x"],"callbackID":"1"}`:               false,
		`C{"name":":wails:SendNotification","args":[{}],"callbackID":"1"}`:                false,
		`C{"name":"desktop.Host.Call","NAME":":wails:ClipboardGetText","callbackID":"1"}`: false,
		`C{"name":"desktop.Host.Call","name":":wails:ClipboardGetText","callbackID":"1"}`: false,
		`C{"n\u0061me":":wails:ClipboardGetText","callbackID":"1"}`:                       false,
		`C{"args":["{\"name\":\"desktop.Host.Call\"}"],"callbackID":"1"}`:                 false,
		`C{"name":"desktop.Host","callbackID":"1"}`:                                       false,
		`c{"id":0,"args":[],"callbackID":"1"}`:                                            false,
		"Q":                                                                               false, "S": false, "H": false, "WH": false, "WR": false, "WTtitle": false, "Ws:1:1": false, "BO:http://x": false,
		"EEname": false, "EXparley": false, "LEx": false, "DD:1:1:/etc/passwd": false, "drag": false, "resize:n-resize": false,
		"wails:showInspector": false, "DomReady": false,
	} {
		if got := mayPass([]byte(message)); got != want {
			t.Errorf("%q passes: %v", message, got)
		}
	}
}
