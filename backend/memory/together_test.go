package memory

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Eight sessions here and two other programs of ours save concurrently, one of EARL's
// appends with its own lock, and the user changes the file in between: nothing is lost
// or duplicated.
func TestConcurrentSaves(t *testing.T) {
	const sessions, programs, each = 8, 2, 15
	s, _ := open(t)
	var all sync.WaitGroup
	for p := range programs {
		other := exec.Command(os.Args[0])
		other.Env = append(os.Environ(), "PARLEY_TEST_MEMORY="+s.Dir(), fmt.Sprintf("PARLEY_TEST_NAME=p%d", p), fmt.Sprint("PARLEY_TEST_COUNT=", each))
		other.Stderr = os.Stderr
		stdin, err := other.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(stdin, "go\n"); err != nil {
			t.Error(err)
		}
		all.Go(func() {
			if err := other.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for n := range sessions {
		all.Go(func() {
			for i := range each {
				err := insist(func() error {
					_, err := s.Save(t.Context(), New{Text: fmt.Sprintf("s%d wrote %d", n, i), Origin: Origin{By: "session"}})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() {
		for i := range each {
			if err := appendAsEARL(filepath.Join(s.Dir(), "2026-11-21.md"), fmt.Sprintf("- **14:03 UTC** | `@earl` | e0 wrote %d\n", i)); err != nil {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for i := range each {
			var e Entry
			err := insist(func() (err error) {
				e, err = s.Save(t.Context(), New{Text: fmt.Sprint("draft ", i)})
				return err
			})
			if err == nil {
				err = insist(func() error {
					_, err := s.Change(t.Context(), e.ID, e.Text, fmt.Sprintf("c0 wrote %d", i))
					return err
				})
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	count := map[string]int{}
	for _, e := range look(t, s).Entries {
		count[e.Text]++
	}
	names := []string{"p0", "p1", "e0", "c0"}
	for n := range sessions {
		names = append(names, fmt.Sprint("s", n))
	}
	for _, name := range names {
		for i := range each {
			if text := fmt.Sprintf("%s wrote %d", name, i); count[text] != 1 {
				t.Errorf("%q is there %d times", text, count[text])
			}
		}
	}
	if len(count) != len(names)*each {
		t.Errorf("%d memories, not %d", len(count), len(names)*each)
	}
}

// What another program appends during a replacement isn't lost.
func TestCarriesOver(t *testing.T) {
	s, _ := open(t)
	e := save(t, s, New{Text: "a"})
	err := s.exclusively(t.Context(), func() error {
		return s.rewrite(t.Context(), e.Place, func(old []byte) ([]byte, error) {
			if err := appendUnlocked(filepath.Join(s.Dir(), e.Name()), "- late\n"); err != nil {
				return nil, err
			}
			return append(old, "- new\n"...), nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(look(t, s).Entries); len(got) != 3 {
		t.Errorf("the file has %q", got)
	}
}
