package search_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/backend/search"
)

// TestMain lets the test binary act as a Parley that is killed while it
// indexes.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PARLEY_TEST_INDEX"); dir != "" {
		if err := indexForEver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m)
}

// indexForEver extends a transcript, whose document n contains the words "every"
// and "number<n>", and prints every commit.
func indexForEver(dir string) error {
	x, err := search.Open(dir, search.Config{Logger: slog.New(slog.DiscardHandler), Memory: 256 << 10})
	if err != nil {
		return err
	}
	if x.Progress().Rebuilt {
		return errors.New("the index was damaged")
	}
	for round := 0; ; round++ {
		s, _ := x.State("t")
		u := search.Update{File: search.File{ID: "t"}, From: s.Through, Through: s.Through}
		for range 1 + rand.IntN(300) {
			u.Through++
			u.Documents = append(u.Documents, numbered(u.Through))
		}
		if err := x.Index(context.Background(), u); err != nil {
			return err
		}
		// This one is always replaced by a new life.
		again := search.Update{File: search.File{ID: "again"}, Through: 1, Documents: []search.Document{{Text: "replaced"}}}
		if err := x.Index(context.Background(), again); err != nil {
			return err
		}
		if round%3 == 0 {
			if err := x.Commit(); err != nil {
				return err
			}
			fmt.Println(u.Through)
		}
	}
}

func numbered(n int64) search.Document {
	return search.Document{MessageID: fmt.Sprint("m", n), Offset: n, At: n, Text: fmt.Sprintf("every number%d %s", n, strings.Repeat("filler ", int(n%50)))}
}

func TestKilledWhileIndexing(t *testing.T) {
	dir := t.TempDir()
	reached := int64(0)
	for round := range 15 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "PARLEY_TEST_INDEX="+dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		check(t, err)
		check(t, child.Start())
		lines := bufio.NewScanner(out)
		said := reached
		for n := 0; lines.Scan(); n++ {
			_, err := fmt.Sscan(lines.Text(), &said)
			check(t, err)
			if n == 1+round*2 {
				check(t, child.Process.Kill())
			}
		}
		_, _ = io.Copy(io.Discard, out)
		_ = child.Wait()

		x := open(t, dir, 0)
		if x.Progress().Rebuilt {
			t.Fatalf("round %d: the index was damaged", round)
		}
		s, _ := x.State("t")
		if s.Through < said {
			t.Fatalf("round %d: through %d, committed was %d", round, s.Through, said)
		}
		reached = s.Through
		page, err := x.Query(t.Context(), search.Query{Text: "every "})
		check(t, err)
		if int64(page.Total) != reached || page.Hits[0].Offset > reached {
			t.Fatalf("round %d: %d documents, through %d", round, page.Total, reached)
		}
		for range 20 {
			n := 1 + rand.Int64N(reached)
			if got := find(t, x, search.Query{Text: fmt.Sprintf("number%d ", n)}); got != fmt.Sprint("t/m", n) {
				t.Fatalf("round %d: document %d: %q", round, n, got)
			}
		}
		if got := find(t, x, search.Query{Text: "replaced "}); got != "again/" {
			t.Fatalf("round %d: replaced: %q", round, got)
		}
		if round%4 == 0 {
			x.Settle()
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			check(t, err)
			if p := x.Progress(); len(left) != p.Segments+1 {
				t.Fatalf("round %d: %d segments, but %v", round, p.Segments, left)
			}
		}
		check(t, x.Commit())
		x.Close()
	}
	if reached < 1000 {
		t.Errorf("only %d documents", reached)
	}
}

// Everything concurrently, for the race detector.
func TestTogether(t *testing.T) {
	x := open(t, t.TempDir(), 64<<10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var feeding, asking sync.WaitGroup
	for w := range 3 {
		feeding.Go(func() {
			id := fmt.Sprint("t", w)
			for n := int64(0); n < 3000; n += 100 {
				u := search.Update{File: search.File{ID: id, Title: fmt.Sprint("Title ", n)}, From: n, Through: n + 100}
				for i := range int64(100) {
					u.Documents = append(u.Documents, numbered(n+i))
				}
				if err := x.Index(ctx, u); err != nil {
					t.Error(err)
				}
				if n%700 == 0 {
					if err := x.Commit(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 2 {
		asking.Go(func() {
			for ctx.Err() == nil {
				if _, err := x.Query(ctx, search.Query{Text: `every "number7 filler" -x f`}); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				_ = x.Progress()
				_ = x.States()
			}
		})
	}
	asking.Go(func() {
		for n := int64(0); ctx.Err() == nil; n++ {
			u := search.Update{File: search.File{ID: "short"}, Documents: []search.Document{numbered(n)}}
			if err := x.Index(t.Context(), u); err != nil {
				t.Error(err)
			}
			if err := x.Forget("short"); err != nil {
				t.Error(err)
			}
		}
	})
	feeding.Wait()
	cancel()
	asking.Wait()
	check(t, x.Commit())
	if page, err := x.Query(t.Context(), search.Query{Text: "every "}); err != nil || page.Total != 9000 {
		t.Errorf("%d documents, %v", page.Total, err)
	}
}

// A truncated or missing part empties the index. So does a changed one, except for
// positions in posting lists, which have no checksum: results there are still within
// bounds. Nothing crashes the program.
func TestDamaged(t *testing.T) {
	original := t.TempDir()
	x := open(t, original, 0)
	for n := range int64(40) {
		u := search.Update{File: search.File{ID: fmt.Sprint("t", n)}, Through: 10}
		for i := range int64(20) {
			u.Documents = append(u.Documents, numbered(n*20+i))
		}
		add(t, x, u)
	}
	check(t, x.Commit())
	x.Close()
	r := rand.New(rand.NewPCG(1, 2))
	changed, unnoticed := 0, 0
	for round := range 160 {
		dir := t.TempDir()
		check(t, os.CopyFS(dir, os.DirFS(original)))
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		check(t, err)
		name := names[r.IntN(len(names))]
		body, err := os.ReadFile(name)
		check(t, err)
		switch round % 4 {
		case 0:
			check(t, os.Truncate(name, r.Int64N(int64(len(body)))))
		case 1:
			check(t, os.Remove(name))
			if filepath.Ext(name) == ".json" {
				continue // that is an index that was never committed
			}
		default:
			changed++
			for range 1 + r.IntN(3) {
				body[r.IntN(len(body))] ^= byte(1 << r.IntN(8))
			}
			check(t, os.WriteFile(name, body, 0o600))
		}
		x := open(t, dir, 0)
		for _, q := range []string{"every ", "number", "number123 ", `"every number77"`, "f", ""} {
			page, err := x.Query(t.Context(), search.Query{Text: q})
			if err != nil && !errors.Is(err, search.ErrDamaged) || page.Total > 800 {
				t.Errorf("round %d: %d found, %v", round, page.Total, err)
			}
		}
		if x.Progress().Rebuilt {
			if s := x.States(); len(s) > 0 {
				t.Errorf("round %d: emptied, but %d states", round, len(s))
			}
		} else if unnoticed++; round%4 < 2 {
			t.Errorf("round %d: nobody noticed that %s is cut off or gone", round, filepath.Base(name))
		}
		add(t, x, search.Update{File: search.File{ID: "new"}, Documents: []search.Document{{MessageID: "m", Text: "after"}}})
		check(t, x.Commit())
		if got := find(t, x, search.Query{Text: "after "}); got != "new/m" {
			t.Errorf("round %d: %q", round, got)
		}
		check(t, x.Commit())
		x.Close()
	}
	if unnoticed > changed/4 {
		t.Errorf("%d of %d changes were not noticed", unnoticed, changed)
	}
}

// Without a writable folder, only uncommitted data is lost.
func TestCannotWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	x := open(t, dir, 0)
	add(t, x, search.Update{File: search.File{ID: "a"}, Through: 5, Documents: []search.Document{numbered(1)}})
	check(t, x.Commit())
	check(t, os.Rename(dir, dir+".away"))
	u := search.Update{File: search.File{ID: "a"}, From: 5, Through: 9, Documents: []search.Document{numbered(2)}}
	if err := x.Index(t.Context(), u); err == nil {
		t.Error("indexed without a folder")
	}
	if s, _ := x.State("a"); s.Through != 5 {
		t.Errorf("state: %+v", s)
	}
	if got := find(t, x, search.Query{Text: "every"}); got != "a/m1" {
		t.Errorf("found: %q", got)
	}
	if err := x.Forget("a"); err == nil {
		t.Error("forgotten without a folder")
	}
	check(t, os.Rename(dir+".away", dir))
	add(t, x, u)
	check(t, x.Commit())
	if got := find(t, x, search.Query{}); got != "a/m2 a/m1" {
		t.Errorf("found after that: %q", got)
	}
}
