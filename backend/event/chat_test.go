package event

import "testing"

func TestDeviceOf(t *testing.T) {
	for by, want := range map[string]string{
		ByDevice("My phone"): "My phone", ByDevice("ann in Mattermost"): "ann in Mattermost", ByDevice("x (device)"): "x (device)",
	} {
		if name, ok := DeviceOf(by); !ok || name != want {
			t.Errorf("%q: %q %v", by, name, ok)
		}
	}
	for _, by := range []string{"", "window", "gateway", "@ann in Mattermost", "x (device)", "@x (device) in Mattermost"} {
		if name, ok := DeviceOf(by); ok {
			t.Errorf("%q is the device %q", by, name)
		}
	}
}
