package workspace

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestFolderThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan struct{})
		var looks atomic.Int32
		l := newLookout(func(path string) Folder {
			if path == "/dead" {
				looks.Add(1)
				<-answers
			}
			return Folder{State: Here}
		})
		for range 3 {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			l.at(ctx, []string{"/dead", "/a", "/b"})
			cancel()
			if took := time.Since(start); took != patience {
				t.Errorf("took %v", took)
			}
			if l.last("/a").State != Here || l.last("/b").State != Here || l.last("/dead").State != Unknown {
				t.Errorf("%+v %+v %+v", l.last("/a"), l.last("/b"), l.last("/dead"))
			}
			time.Sleep(2 * fresh)
		}
		if n := looks.Load(); n != 1 {
			t.Errorf("%d looks wait", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.close(ctx); err == nil {
			t.Error("close did not wait")
		}
		close(answers)
		if err := l.close(t.Context()); err != nil {
			t.Error(err)
		}
		l.at(t.Context(), []string{"/a", "/new"}) // returns at once
		if l.last("/new").State != Unknown {
			t.Error("looked after the end")
		}
	})
}

func TestLooksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan struct{})
		var now, most atomic.Int32
		l := newLookout(func(string) Folder {
			most.Store(max(most.Load(), now.Add(1)))
			<-answers
			now.Add(-1)
			return Folder{State: Here}
		})
		var paths []string
		for i := range 500 {
			paths = append(paths, fmt.Sprint("/", i))
		}
		done := make(chan struct{})
		go func() { l.at(t.Context(), paths); close(done) }()
		synctest.Wait()
		if most.Load() != maxLookers {
			t.Errorf("%d at once", most.Load())
		}
		close(answers)
		<-done
		for _, p := range paths {
			if l.last(p).State != Here {
				t.Fatalf("%s was left out", p)
			}
		}
		synctest.Wait()
		if l.lookers != 0 {
			t.Errorf("%d still there", l.lookers)
		}
		// Folders that are no longer requested are dropped.
		l.at(t.Context(), paths[:3])
		if len(l.seen) != 3 {
			t.Errorf("%d are remembered", len(l.seen))
		}
		if err := l.close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestLooksAreFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := Here
		looks := 0
		l := newLookout(func(string) Folder { looks++; return Folder{State: state} })
		l.at(t.Context(), []string{"/a"})
		state = Gone
		l.at(t.Context(), []string{"/a"})
		if l.last("/a").State != Here || looks != 1 {
			t.Errorf("%+v after %d looks", l.last("/a"), looks)
		}
		time.Sleep(fresh)
		l.at(t.Context(), []string{"/a"})
		if l.last("/a").State != Gone || looks != 2 {
			t.Errorf("%+v after %d looks", l.last("/a"), looks)
		}
		if err := l.close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
