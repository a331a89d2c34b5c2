package post

import "testing"

func TestTables(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"after a line of text":   {"Results:\n| a | b |\n|---|---|\n| 1 | 2 |\n", "Results:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"},
		"without outer bars":     {"Results:\na | b\n--|--\n1 | 2", "Results:\n\na | b\n--|--\n1 | 2"},
		"as it should be":        {"Results:\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\nafter", "Results:\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\nafter"},
		"at the beginning":       {"| a |\n|---|\n| 1 |", "| a |\n|---|\n| 1 |"},
		"in a list":              {"- one:\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n- two", "- one:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n- two"},
		"as an item":             {"- | a | b |\n  |---|---|\n  | 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"},
		"in a numbered list":     {"1. one\n    | a | b |\n    |---|---|\n    | 1 | 2 |", "1. one\n\n| a | b |\n|---|---|\n| 1 | 2 |"},
		"a bar in a cell":        {"x\n| a | b |\n|---|---|\n| 1 \\| 2 | 3 |", "x\n\n| a | b |\n|---|---|\n| 1 &#124; 2 | 3 |"},
		"a bar in code":          {"| a | b |\n|---|---|\n| `x \\| y` | 3 |", "```\n| a | b |\n|---|---|\n| `x \\| y` | 3 |\n```"},
		"two tables":             {"x\n| a |\n|---|\ny\n| b |\n|---|\n| 2 |", "x\n\n| a |\n|---|\ny\n\n| b |\n|---|\n| 2 |"},
		"in a fence":             {"```\nx\n| a | b |\n|---|---|\n```", "```\nx\n| a | b |\n|---|---|\n```"},
		"as indented code":       {"x\n\n    | a | b |\n    |---|---|\n", "x\n\n    | a | b |\n    |---|---|\n"},
		"in a quote":             {"> x\n> | a | b |\n> |---|---|\n", "> x\n> \n> | a | b |\n> |---|---|\n"},
		"in a quote in a quote":  {"> > x\n> > | a | b |\n> > |---|---|\ny", "> > x\n> > \n> > | a | b |\n> > |---|---|\ny"},
		"a quote without one":    {">x | y\n>  - z\n", ">x | y\n>  - z\n"},
		"a quote in a fence":     {"```\n> x\n> | a | b |\n> |---|---|\n```", "```\n> x\n> | a | b |\n> |---|---|\n```"},
		"a rule is no table":     {"a | b\n---\nc", "a | b\n---\nc"},
		"a heading is no table":  {"a\n---\nb", "a\n---\nb"},
		"another count of cells": {"x\n| a | b |\n|---|\n", "x\n| a | b |\n|---|\n"},
		"bars in a text":         {"use a|b or c|d\nand - so on", "use a|b or c|d\nand - so on"},
		"nothing":                {"", ""},
	} {
		got := tables(tt.text)
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
		}
		if again := tables(got); again != got {
			t.Errorf("%s: again it is\n%s", name, again)
		}
	}
}
