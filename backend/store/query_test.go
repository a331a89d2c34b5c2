package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/backend/store"
	"parley/backend/store/storetest"
)

func TestQueries(t *testing.T) {
	c := define(t, storetest.Open(t))
	for i, n := range []note{
		{Tags: []string{"a", "ab"}, Rank: -5}, {Tags: []string{"b"}, Rank: 10},
		{Tags: []string{"a\xff"}, Rank: 0}, {Rank: 9}, {Tags: []string{"\xff\xff", "a"}, Rank: 1 << 40},
	} {
		check(t, c.Put(fmt.Sprintf("k%d", i), n))
	}
	check(t, c.Put("l", note{Rank: -1 << 62}))
	tests := []struct {
		name string
		q    store.Query
		want string
	}{
		{"all", store.Query{}, "k0 k1 k2 k3 k4 l"},
		{"backwards", store.Query{Reverse: true}, "l k4 k3 k2 k1 k0"},
		{"prefix", store.Query{Prefix: "k"}, "k0 k1 k2 k3 k4"},
		{"prefix backwards", store.Query{Prefix: "k", Reverse: true}, "k4 k3 k2 k1 k0"},
		{"from one", store.Query{Prefix: "k", From: "k3"}, "k3 k4"},
		{"from between", store.Query{Prefix: "k", From: "k2a", Limit: 1}, "k3"},
		{"from before the prefix", store.Query{Prefix: "k", From: "a", Limit: 1}, "k0"},
		{"from behind the prefix", store.Query{Prefix: "k", From: "l"}, ""},
		{"backwards before one", store.Query{Prefix: "k", From: "k2", Reverse: true}, "k1 k0"},
		{"backwards before what is not there", store.Query{Prefix: "k", From: "k2a", Reverse: true, Limit: 1}, "k2"},
		{"backwards before the first", store.Query{Prefix: "k", From: "k0", Reverse: true}, ""},
		{"backwards from behind the prefix", store.Query{Prefix: "k", From: "z", Reverse: true, Limit: 1}, "k4"},
		{"no such prefix", store.Query{Prefix: "ka", Reverse: true}, ""},
		{"behind all", store.Query{Prefix: "z", Reverse: true}, ""},
		{"before all", store.Query{Prefix: "A", Reverse: true}, ""},
		{"page", store.Query{Offset: 1, Limit: 2}, "k1 k2"},
		{"last page", store.Query{Offset: 4, Limit: 5}, "k4 l"},
		{"behind the last page", store.Query{Offset: 10, Limit: 5}, ""},
		{"by number", store.Query{Index: "rank"}, "l k0 k2 k3 k1 k4"},
		{"highest numbers", store.Query{Index: "rank", Reverse: true, Limit: 2}, "k4 k1"},
		{"one term", store.Query{Index: "tag", Term: "a"}, "k0 k4"},
		{"one term backwards", store.Query{Index: "tag", Term: "a", Reverse: true}, "k4 k0"},
		{"terms that begin alike", store.Query{Index: "tag", Prefix: "a"}, "k0 k4 k0 k2"},
		{"bytes without a next", store.Query{Index: "tag", Prefix: "\xff", Reverse: true}, "k4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			check(t, c.Each(tt.q, func(key string, _ note) bool { got = append(got, key); return true }))
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
			if n := must[int](t)(c.Count(tt.q)); n != len(got) {
				t.Errorf("count says %d", n)
			}
			if l := must[[]note](t)(c.List(tt.q)); len(l) != len(got) {
				t.Errorf("the list has %d", len(l))
			}
		})
	}
	calls := 0
	check(t, c.Each(store.Query{}, func(string, note) bool { calls++; return false }))
	if calls != 1 {
		t.Errorf("after the end: %d calls", calls)
	}
}

func TestTerms(t *testing.T) {
	sorted := []string{
		store.Term("a"), store.Term("a", store.Number(-1)), store.Term("a", store.Number(0)),
		store.Term("a", store.Number(9)), store.Term("a", store.Number(10)), store.Term("ab"), store.Term("ab", "x"),
	}
	if !slices.IsSorted(sorted) {
		t.Errorf("%q", sorted)
	}
}

func TestIndexesAreBroughtUpToDate(t *testing.T) {
	s := storetest.Open(t)
	plain := must[*store.Collection[note]](t)(store.Define[note](s, "notes"))
	for i := range 50 {
		check(t, plain.Put(fmt.Sprint(i), note{Rank: int64(i), Tags: []string{"t"}}))
	}
	c := define(t, s)
	if n := must[int](t)(c.Count(store.Query{Index: "tag", Term: "t"})); n != 50 {
		t.Errorf("a new index has %d entries", n)
	}
	// A program that doesn't know the indexes changes a record; then one that does is back.
	plain = must[*store.Collection[note]](t)(store.Define[note](s, "notes"))
	check(t, plain.Put("7", note{Rank: 100}))
	c = define(t, s)
	if n := must[int](t)(c.Count(store.Query{Index: "tag", Term: "t"})); n != 49 {
		t.Errorf("the index has %d entries", n)
	}
	top := must[[]note](t)(c.List(store.Query{Index: "rank", Reverse: true, Limit: 1}))
	if len(top) != 1 || top[0].Rank != 100 {
		t.Errorf("the first is %+v", top)
	}
}
