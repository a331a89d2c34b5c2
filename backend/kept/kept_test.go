package kept

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/store/model"
	"parley/backend/store/schema"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// parley is a data folder with a log beside the store, of which only the newest mark exists.
type parley struct {
	t      *testing.T
	path   string
	mark   string
	secret []byte
}

func newParley(t *testing.T) *parley {
	return &parley{t: t, path: filepath.Join(t.TempDir(), "parley.db")}
}

// run does something with the kept data, from the start to the end of a Parley.
func (p *parley) run(seen Seen, do func(*Keep, *schema.DB)) {
	p.t.Helper()
	db, err := schema.Open(p.path, schema.Config{Logger: slog.New(slog.DiscardHandler)})
	check(p.t, err)
	key := Key{Bytes: p.secret}
	if len(p.secret) == 1 { // to be created
		p.secret = []byte("a secret that nobody knows")
		key = Key{Bytes: p.secret, Made: true}
	}
	k, err := Open(db, key, slog.New(slog.DiscardHandler))
	check(p.t, err)
	seen.Mark = p.mark
	check(p.t, k.Compare(seen, func(mark string) { p.mark = mark }))
	do(k, db)
	check(p.t, k.Settled("settings", "memory"))
	check(p.t, db.Close())
}

func (p *parley) base(k *Keep, name, now, want string) {
	p.t.Helper()
	if got := k.Base(name, []byte(now)); got != want {
		p.t.Errorf("the base of %s is %q, want %q", name, got, want)
	}
}

func (p *parley) copied() string {
	p.t.Helper()
	to := filepath.Join(p.t.TempDir(), "older.db")
	data, err := os.ReadFile(p.path)
	check(p.t, err)
	check(p.t, os.WriteFile(to, data, 0o600))
	return to
}

// Files that exist the first time are accepted, once for each kind; later files are not.
func TestFirst(t *testing.T) {
	p := newParley(t)
	p.run(Seen{}, func(k *Keep, _ *schema.DB) { p.base(k, "settings", "old", "old") })
	p.run(Seen{}, func(k *Keep, _ *schema.DB) {
		p.base(k, "settings", "other", "old")
		p.base(k, "memory/a.md", "new", "")
		p.base(k, "chat", "first of a later kind", "first of a later kind")
		if k.Doubt() != "" {
			t.Error(k.Doubt())
		}
	})
}

// A text that is not UTF-8 is the same one after a restart: it is not taken for another.
func TestNotUTF8(t *testing.T) {
	const raw, want = "a\xff\xfeb\xff", "a\uFFFDb\uFFFD"
	p := newParley(t)
	p.run(Seen{}, func(k *Keep, _ *schema.DB) {
		p.base(k, "settings", raw, want)
		check(t, k.Adopt("memory/a.md", raw))
		check(t, k.Begin("memory/b.md", raw, nil, nil))
	})
	p.run(Seen{}, func(k *Keep, _ *schema.DB) {
		for _, name := range []string{"settings", "memory/a.md", "memory/b.md"} {
			p.base(k, name, raw, want)
		}
	})
}

// A Parley that ended while it wrote a file knows which of the two texts is its own, and
// takes neither for an outside change.
func TestCrashWhileWriting(t *testing.T) {
	for _, tt := range []struct{ found, want string }{{"file 1", "one"}, {"file 2", "two"}, {"foreign", "two"}} {
		p := newParley(t)
		p.run(Seen{}, func(k *Keep, _ *schema.DB) {
			check(t, k.Adopt("settings", "one"))
			check(t, k.Begin("settings", "two", []byte("file 1"), []byte("file 2")))
		})
		for range 2 {
			p.run(Seen{}, func(k *Keep, _ *schema.DB) { p.base(k, "settings", tt.found, tt.want) })
		}
	}
	p := newParley(t)
	p.run(Seen{}, func(k *Keep, _ *schema.DB) {
		check(t, k.Adopt("settings", "one"))
		check(t, k.Begin("settings", "two", []byte("file 1"), []byte("file 2")))
		k.Done("settings", false)
		p.base(k, "settings", "file 1", "one")
	})
}

// A reader of a file that Parley is writing finds either text accepted, and does not disturb
// the writer.
func TestLookedAtWhileWriting(t *testing.T) {
	for _, written := range []bool{true, false} {
		newParley(t).run(Seen{}, func(k *Keep, _ *schema.DB) {
			p := &parley{t: t}
			check(t, k.Adopt("settings", "one"))
			check(t, k.Begin("settings", "two", []byte("file 1"), []byte("file 2")))
			for range 2 {
				p.base(k, "settings", "file 1", "one")
				p.base(k, "settings", "file 2", "two")
			}
			k.Done("settings", written)
			if written {
				p.base(k, "settings", "file 2", "two")
			} else {
				p.base(k, "settings", "file 1", "one")
			}
		})
	}
}

// A store that is not the one that the log knows makes a doubt, which stays until a user
// has checked: only what is accepted from then on counts.
func TestDoubt(t *testing.T) {
	tests := []struct {
		name, want string
		spoil      func(p *parley, older string) Seen
	}{
		{"as it was", "", func(*parley, string) Seen { return Seen{} }},
		{"an older one", DoubtOlder, func(p *parley, older string) Seen {
			check(t, os.Rename(older, p.path))
			return Seen{}
		}},
		{"removed", DoubtGone, func(p *parley, _ string) Seen {
			check(t, os.Remove(p.path))
			return Seen{}
		}},
		{"removed with the log", DoubtGone, func(p *parley, _ string) Seen {
			check(t, os.Remove(p.path))
			p.mark = ""
			return Seen{Removed: true}
		}},
		{"another Parley's", DoubtOlder, func(p *parley, _ string) Seen {
			other := newParley(t)
			for range 9 {
				other.run(Seen{}, func(k *Keep, _ *schema.DB) { check(t, k.Adopt("settings", "x"+other.mark)) })
			}
			check(t, os.Rename(other.path, p.path))
			return Seen{}
		}},
		{"the log removed", DoubtLog, func(p *parley, _ string) Seen {
			p.mark = ""
			return Seen{}
		}},
		{"the log changed", DoubtLog, func(*parley, string) Seen { return Seen{Wrong: "line 4"} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newParley(t)
			p.run(Seen{}, func(k *Keep, _ *schema.DB) { check(t, k.Adopt("settings", "lax")) })
			older := p.copied()
			p.run(Seen{}, func(k *Keep, _ *schema.DB) { check(t, k.Adopt("settings", "strict")) })
			seen := tt.spoil(p, older)
			for range 2 {
				p.run(seen, func(k *Keep, _ *schema.DB) {
					if k.Doubt() != tt.want {
						t.Fatalf("doubt %q, want %q", k.Doubt(), tt.want)
					}
					if tt.want != "" {
						p.base(k, "settings", "lax", "")
						p.base(k, "memory/a.md", "x", "")
					}
				})
				seen = Seen{}
			}
			if tt.want == "" {
				return
			}
			p.run(Seen{}, func(k *Keep, _ *schema.DB) {
				check(t, k.Adopt("memory/a.md", "looked at"))
				p.base(k, "memory/a.md", "x", "looked at")
			})
			p.run(Seen{}, func(k *Keep, _ *schema.DB) {
				p.base(k, "memory/a.md", "x", "looked at")
				check(t, k.Clear())
				if k.Doubt() != "" {
					t.Error("there is still a doubt")
				}
			})
			p.run(Seen{}, func(k *Keep, _ *schema.DB) {
				if k.Doubt() != "" {
					t.Errorf("the doubt is back: %s", k.Doubt())
				}
			})
		})
	}
}

// Rules, trust and profiles that were changed in the store from outside, and texts that
// were added from outside, do not match their seal.
func TestSeal(t *testing.T) {
	tests := map[string]func(*schema.DB){
		"a rule":  func(db *schema.DB) { check(t, db.Rules.Put("2", model.Rule{ID: "2", Effect: "allow", Tool: "Bash"})) },
		"a trust": func(db *schema.DB) { check(t, db.Trust.Put("/x", model.Trust{Folder: "/x", Choice: "trusted"})) },
		"a profile": func(db *schema.DB) {
			check(t, db.Profiles.Put("p", model.Profile{ID: "p", Helper: "/tmp/evil"}))
		},
		"a text": func(db *schema.DB) { check(t, db.Kept.Put("settings", model.Kept{Name: "settings", Text: "lax"})) },
		"all of it": func(db *schema.DB) {
			k, err := Open(db, Key{}, slog.New(slog.DiscardHandler))
			check(t, err)
			k.now.Doubt = ""
			check(t, Guard(k, "rules", db.Rules).Put("2", model.Rule{ID: "2", Effect: "allow", Tool: "Bash"}))
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			p := newParley(t)
			p.secret = []byte{0}
			p.run(Seen{}, func(k *Keep, db *schema.DB) {
				check(t, Guard(k, "rules", db.Rules).Put("1", model.Rule{ID: "1", Effect: "deny", Tool: "Bash"}))
				check(t, k.Adopt("settings", "strict"))
			})
			p.run(Seen{}, func(k *Keep, db *schema.DB) {
				if k.Doubt() != "" {
					t.Fatal(k.Doubt())
				}
				p.base(k, "settings", "x", "strict")
			})
			db, err := schema.Open(p.path, schema.Config{Logger: slog.New(slog.DiscardHandler)})
			check(t, err)
			spoil(db)
			check(t, db.Close())
			p.run(Seen{}, func(k *Keep, _ *schema.DB) {
				if k.Doubt() != DoubtSeal {
					t.Errorf("doubt %q", k.Doubt())
				}
			})
		})
	}
}
