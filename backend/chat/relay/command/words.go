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

// thousands formats a number with separators: 12,345.
func thousands(n int64) string { return message.NewPrinter(language.English).Sprintf("%d", n) }

// money has four decimals, because single answers cost little.
func money(usd float64) string { return fmt.Sprintf("$%.4f", usd) }

// moment formats a time, "—" for none.
func moment(ms int64) string {
	if ms == 0 {
		return "—"
	}
	return time.UnixMilli(ms).Format("2006-01-02 15:04")
}

// code returns a text as inline code, without markdown or mentions.
func code(text string) string { return cmp.Or(post.Code(text), "—") }

// block returns a text as a code block.
func block(text string) string { return post.Fence(text, "text") }

// cell returns markdown as a table cell.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", `\|`), "\n", " ")
}

// table returns a table with markdown cells.
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

// quote returns a text as a quotation without markdown.
func quote(text string) string { return post.Quote(post.Escape(text)) }

// tail returns the end of a text, of at most n characters.
func tail(text string, n int) string {
	text = strings.TrimRight(text, " \t\r\n") // a screen is padded to its height
	if r := []rune(text); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return text
}
