package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"parley/backend/update"
)

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	key, program, out := filepath.Join(dir, "key"), filepath.Join(dir, "program"), filepath.Join(dir, "out")
	if err := makeKey(key); err != nil {
		t.Fatal(err)
	}
	if err := makeKey(key); err == nil {
		t.Error("a key was overwritten")
	}
	if err := os.WriteFile(program, []byte("a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options{key: key, out: out, days: 9, now: time.Now(), programs: []string{"linux-amd64=" + program}, release: update.Release{Share: 100}}
	for _, version := range []string{"1.0.0", "1.1.0-rc.1", "1.1.0", "1.1.0"} {
		o.release.Version = version
		if err := publish(o); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, manifest))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := os.ReadFile(filepath.Join(out, signature))
	if err != nil {
		t.Fatal(err)
	}
	private, err := readKey(key)
	if err != nil {
		t.Fatal(err)
	}
	m, err := update.Open(text, signed, private.Public().(minisign.PublicKey).String())
	if err != nil || len(m.Releases) != 3 || m.Releases[1].Channel != update.Beta || m.Releases[0].Files[0].Program != 9 {
		t.Errorf("%+v %v", m, err)
	}
	if strings.Contains(string(signed)+string(text), dir) {
		t.Error("a folder's name is in it")
	}
	o.release.Version = "newest"
	if err := publish(o); err == nil || !strings.Contains(err.Error(), "no version") {
		t.Error(err)
	}
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := publish(o); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Error(err)
	}
}
