package settings_test

import (
	"strings"
	"testing"

	"parley/backend/settings"
)

func TestNATSAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"": true, "nats://host:4222": true, "tls://a, nats://b:1": true, "wss://host/": true,
		"host:4222": false, "http://host": false, "nats://": false, "nats://u@host": false, "nats://host/path": false, "nats://host?x=1": false, "nats://a,": false,
		"nats://" + strings.Repeat("x", 1000): false,
	} {
		v := settings.Defaults()
		v.NATSURL = address
		err := settings.Check(v)
		if (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "u@host") {
			t.Errorf("the error tells what may be a secret: %v", err)
		}
	}
}
