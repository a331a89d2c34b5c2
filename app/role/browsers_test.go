package role

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"parley/app/gateway"
	"parley/app/method"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/problem"
)

// asked is a back end whose settings enable a port.
// one is a feature with one method.
type one struct{ *method.Method }

func (o one) Methods() []*method.Method { return []*method.Method{o.Method} }

type asked struct {
	Backend

	table *method.Table
	bus   *bus.Bus
	told  chan string
}

func (a *asked) Methods() *method.Table                { return a.table }
func (a *asked) Bus() *bus.Bus                         { return a.bus }
func (a *asked) Problems() []problem.Problem           { return nil }
func (a *asked) Health(context.Context) map[string]any { return nil }
func (a *asked) Devices() gateway.Devices              { return a }

func (a *asked) Redeem(string, string) (string, bool, error) { return "", false, nil }
func (a *asked) Admit(string, string) gateway.Device         { return nil }

func (a *asked) Listens(url string, why error) {
	if why != nil {
		url = "not: " + why.Error()
	}
	a.told <- url
}

// The window's Parley admits browsers while enabled, and nobody with a token.
func TestBrowsersAreLetIn(t *testing.T) {
	// A port that is free now, and one that is not.
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	free := probe.Addr().(*net.TCPAddr).Port
	_ = probe.Close()

	var port atomic.Int64
	type settings struct {
		BrowserPort int `json:"browserPort"`
	}
	log := slog.New(slog.DiscardHandler)
	get := method.New("settings.get", "", func(context.Context, struct{}) (settings, error) { return settings{int(port.Load())}, nil })
	a := &asked{table: method.Config{Logger: log}.New(one{get}), bus: bus.New(log), told: make(chan string, 1)}
	ctx, end := context.WithCancel(t.Context())
	all := Program{}.letBrowsersIn(ctx, a, log)
	choose := func(n int) string {
		port.Store(int64(n))
		a.bus.Publish(&event.SettingsChanged{})
		return <-a.told
	}
	url := choose(free)
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatal(url)
	}
	status := func(path string) (int, error) {
		res, err := http.Get(url + path) //nolint:noctx // it is a test on this machine
		if err != nil {
			return 0, err
		}
		return res.StatusCode, res.Body.Close()
	}
	if code, err := status("health"); code != http.StatusOK || err != nil {
		t.Error(code, err)
	}
	if code, err := status("ws"); code != http.StatusUnauthorized || err != nil {
		t.Error(code, err)
	}
	if got := choose(taken.Addr().(*net.TCPAddr).Port); !strings.HasPrefix(got, "not: ") {
		t.Error(got)
	}
	if _, err := status("health"); err == nil {
		t.Error("the old port still answers")
	}
	if got := choose(free); got != url {
		t.Error(got)
	}
	if got := choose(0); got != "" {
		t.Error(got)
	}
	choose(free)
	end()
	all.Wait()
	if _, err := status("health"); err == nil || errors.Is(err, context.Canceled) {
		t.Error("it answers after the end", err)
	}
}
