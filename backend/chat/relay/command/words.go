package command

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"parley/backend/chat/relay/post"
)

// thousands is a number with separators: 12,345.
func thousands(n int64) string { return message.NewPrinter(language.English).Sprintf("%d", n) }

// money has four decimals, as costs of single answers are small.
func money(usd float64) string { return fmt.Sprintf("$%.4f", usd) }

// moment is a time as people write it, "—" for none.
func moment(ms int64) string {
	if ms == 0 {
		return "—"
	}
	return time.UnixMilli(ms).Format("2006-01-02 15:04")
}

// code is a text as code in a line: nothing in it is markdown, or calls anybody.
func code(text string) string { return cmp.Or(post.Code(text), "—") }

// block is a text as a block of code.
func block(text string) string { return post.Fence(text, "text") }

// cell is markdown as a cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", `\|`), "\n", " ")
}

// table is one, of cells that are markdown.
func table(head []string, lines [][]string) string {
	var b strings.Builder
	row := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
	}
	row(head)
	b.WriteString(strings.Repeat("|:--", len(head)) + "|\n")
	for _, l := range lines {
		row(l)
	}
	return strings.TrimRight(b.String(), "\n")
}

// quote is a text as a quotation in which nothing is markdown.
func quote(text string) string { return post.Quote(post.Escape(text)) }

// tail is the end of a text, of at most n characters.
func tail(text string, n int) string {
	text = strings.TrimRight(text, " \t\r\n") // a screen is as high as it is
	if r := []rune(text); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return text
}
