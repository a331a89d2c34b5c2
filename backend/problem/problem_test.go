package problem_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/problem"
)

func ids(b *problem.Book) []string {
	var list []string
	for _, p := range b.List() {
		list = append(list, p.ID)
	}
	return list
}

func TestBook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		b := problem.New(func() { told++ })
		start := time.Now().UnixMilli()
		b.Raise(problem.Problem{ID: problem.RoomsRebuilt, Facts: map[string]string{"kept": "3", "file": "/x"}})
		time.Sleep(time.Second)
		b.Raise(problem.Problem{ID: problem.DiskFull, Facts: map[string]string{"what": "audit,notes", "folders": "/data"}})
		if got := ids(b); !slices.Equal(got, []string{problem.DiskFull, problem.RoomsRebuilt}) {
			t.Errorf("the worst is not first: %q", got)
		}
		// The same problem again changes nothing; other facts do, but keep its start time.
		b.Raise(problem.Problem{ID: problem.RoomsRebuilt, Facts: map[string]string{"kept": "3", "file": "/x"}})
		if told != 2 {
			t.Errorf("told %d times", told)
		}
		b.Raise(problem.Problem{ID: problem.RoomsRebuilt, Facts: map[string]string{"kept": "4", "file": "/x"}})
		if p := b.List()[1]; told != 3 || p.Since != start || p.Facts["kept"] != "4" || !strings.Contains(p.Title, "4 records") {
			t.Errorf("told %d times, %+v", told, p)
		}
		if p := b.List()[0]; p.Title != "The disk is full. Not saved: the permission log, sessions, drafts and queued prompts." || p.Severity != problem.Error {
			t.Errorf("%+v", p)
		}
		b.Clear("nothing")
		b.Clear(problem.DiskFull)
		b.Clear(problem.DiskFull)
		if told != 4 || !slices.Equal(ids(b), []string{problem.RoomsRebuilt}) {
			t.Errorf("told %d times, %q", told, ids(b))
		}
		// A problem of an unknown kind uses its own texts.
		b.Raise(problem.Problem{ID: "later", Title: "Something new.", Todo: "Nothing."})
		if p := b.List()[1]; p.Title != "Something new." || p.Todo != "Nothing." || p.Severity != problem.Warning {
			t.Errorf("%+v", p)
		}
	})
}

// A book is bounded, and errors take precedence.
func TestBookIsBounded(t *testing.T) {
	b := problem.New(nil)
	for i := range 2 * problem.Most {
		b.Raise(problem.Problem{ID: fmt.Sprint("w", i), Title: strings.Repeat("ü", 5000), Facts: map[string]string{"x": strings.Repeat("x", 5000)}})
	}
	b.Raise(problem.Problem{ID: problem.DiskFull})
	list := b.List()
	if len(list) != problem.Most || list[0].ID != problem.DiskFull {
		t.Errorf("%d problems, first %q", len(list), list[0].ID)
	}
	for _, p := range list {
		if len(p.Title) > 1010 || len(p.Facts["x"]) > 1010 {
			t.Errorf("%d, %d", len(p.Title), len(p.Facts["x"]))
		}
	}
}

// The changed function sees the newest state, however many raise at once.
func TestNewestIsTold(t *testing.T) {
	var b *problem.Book
	var last []string
	b = problem.New(func() { last = ids(b) })
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for range 50 {
				b.Raise(problem.Problem{ID: fmt.Sprint("p", i)})
				b.Clear(fmt.Sprint("p", i))
			}
			b.Raise(problem.Problem{ID: fmt.Sprint("p", i)})
		})
	}
	all.Wait()
	if len(last) != 20 {
		t.Errorf("told of %q", last)
	}
}

// Every kind has its texts in each language, with the same facts.
func TestWords(t *testing.T) {
	braces := regexp.MustCompile(`\{[a-z]+\}`)
	facts := func(text string) []string {
		found := braces.FindAllString(text, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	for _, id := range problem.IDs() {
		b := problem.New(nil)
		b.Raise(problem.Problem{ID: id})
		p := b.List()[0]
		english, german := p.Title+p.Todo, problem.Title("de_DE.UTF-8", p)+problem.Todo("de", p)
		if p.Title == "" || p.Title == id || p.Todo == "" || german == english || problem.Title("de", p) == p.Title || problem.Title("en", p) != p.Title {
			t.Errorf("%s: %q, %q", id, english, german)
		}
		if !slices.Equal(facts(english), facts(german)) {
			t.Errorf("%s: facts %q and %q", id, facts(english), facts(german))
		}
	}
	p := problem.Problem{ID: problem.DiskFull, Facts: map[string]string{problem.What: strings.Join(problem.Things(), ",")}}
	for _, thing := range problem.Things() {
		if got := problem.Title("de", p); strings.Contains(got, thing) && thing != "heartbeats" {
			t.Errorf("%s is not said in German: %s", thing, got)
		}
	}
}
