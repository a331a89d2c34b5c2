package store_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/backend/fault"
	"parley/backend/store"
	"parley/backend/store/storetest"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestMain lets the test binary act as a Parley that is killed while it
// writes.
func TestMain(m *testing.M) {
	if path := os.Getenv("PARLEY_TEST_WRITE_STORE"); path != "" {
		if err := writeForEver(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeForEver prints "key rank" for every acknowledged write.
func writeForEver(path string) error {
	s, err := store.Open(path, store.Config{Logger: quiet()})
	if err != nil {
		return err
	}
	c, err := store.Define(s, "notes", indexes()...)
	if err != nil {
		return err
	}
	for i := int64(1); ; i++ {
		key := strconv.FormatInt(i%37, 10)
		if err := c.Put(key, note{Rank: i, Title: strings.Repeat("x", int(i%5000)), Tags: []string{"t"}}); err != nil {
			return err
		}
		fmt.Println(key, i)
	}
}

func TestKilledWhileWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	total := 0
	for round := range 12 {
		writer := exec.Command(os.Args[0])
		writer.Env = append(os.Environ(), "PARLEY_TEST_WRITE_STORE="+path)
		writer.Stderr = os.Stderr
		out, err := writer.StdoutPipe()
		check(t, err)
		check(t, writer.Start())
		acknowledged := map[string]int64{}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			key, rank, _ := strings.Cut(lines.Text(), " ")
			acknowledged[key] = must[int64](t)(strconv.ParseInt(rank, 10, 64))
			if n == 40+13*round {
				check(t, writer.Process.Kill())
			}
		}
		_, _ = io.Copy(io.Discard, out)
		_ = writer.Wait()

		storetest.Check(t, path)
		s, err := store.Open(path, store.Config{Logger: quiet()})
		check(t, err)
		if s.Report().Rebuilt {
			t.Fatalf("round %d: %+v", round, s.Report())
		}
		c := define(t, s)
		for key, rank := range acknowledged {
			// One more may have been written than was printed.
			if got := must[note](t)(c.Get(key)); got.Rank != rank && got.Rank != rank+37 {
				t.Errorf("round %d: %s is %d, acknowledged was %d", round, key, got.Rank, rank)
			}
		}
		total += len(acknowledged)
		check(t, s.Close())
	}
	if total == 0 {
		t.Error("nothing was acknowledged")
	}
}

func TestDiskFull(t *testing.T) {
	dir := smallDisk(t, 512<<10)
	path := filepath.Join(dir, "store.db")
	s := storetest.OpenAt(t, path)
	c := define(t, s)
	check(t, c.Put("first", note{Title: "First"}))
	ballast := filepath.Join(dir, "ballast")

	written, failed := 0, error(nil)
	for i := range 1000 {
		failed = c.Put(fmt.Sprint(i), note{Title: strings.Repeat("x", 4000), Tags: []string{"t"}})
		if failed != nil {
			break
		}
		written++
		if i == 20 {
			check(t, os.WriteFile(ballast, make([]byte, 100<<10), 0o600))
		}
	}
	if fault.CodeOf(failed) != fault.Unavailable || !strings.Contains(fault.MessageOf(failed), "full") {
		t.Errorf("after %d: %v", written, failed)
	}
	if n := must[int](t)(c.Count(store.Query{})); n != written+1 {
		t.Errorf("%d records, %d were acknowledged", n, written+1)
	}
	if n := must[int](t)(c.Count(store.Query{Index: "tag"})); n != written {
		t.Errorf("%d in the index, %d were acknowledged", n, written)
	}
	check(t, os.Remove(ballast))
	if _, err := c.Update("first", func(n *note) error { n.Title = "Again"; return nil }); err != nil {
		t.Errorf("with room again: %v", err)
	}

	// A damaged file that can't be replaced stays in place.
	check(t, s.Close())
	storetest.Check(t, path)
	contents := must[[]byte](t)(os.ReadFile(path))
	check(t, os.Truncate(path, int64(usedPages(t, contents)-1)*int64(os.Getpagesize())))
	for err := error(nil); err == nil; {
		err = grow(ballast, 4<<10)
	}
	_, err := store.Open(path, store.Config{Logger: quiet()})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "free space") {
		t.Errorf("rebuilt on a full disk: %v", err)
	}
	if left := must[[]os.DirEntry](t)(os.ReadDir(dir)); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
	growDisk(t, dir, 2<<20)
	check(t, os.Remove(ballast))
	again, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	if !again.Report().Rebuilt || again.Report().Kept < written/2 {
		t.Errorf("%+v of %d", again.Report(), written)
	}
	check(t, again.Close())

	// Nor is a partial new one left behind.
	check(t, os.RemoveAll(path))
	check(t, os.Remove(again.Report().SetAside))
	for err := error(nil); err == nil; {
		err = grow(ballast, 4<<10)
	}
	if _, err := store.Open(path, store.Config{Logger: quiet()}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("made on a full disk: %v", err)
	}
	check(t, os.Remove(ballast))
	if left := must[[]os.DirEntry](t)(os.ReadDir(dir)); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	storetest.OpenAt(t, path) // for the check at the end
}

func grow(path string, by int) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = f.Write(make([]byte, by))
	return err
}
