package post

import (
	"regexp"
	"strings"
)

var (
	delimiterRow = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$`)
	listMarker   = regexp.MustCompile(`^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+`)
	fenceLine    = regexp.MustCompile("^[ \t>]*(?:(?:[-+*]|\\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
	quoteMark    = regexp.MustCompile(`^ {0,3}> ?`)
	quoteLine    = regexp.MustCompile(`(?m)^.+$|^\n`)
	codeWithBar  = regexp.MustCompile("`[^`\n]*\\\\\\|[^`\n]*`")
)

// tables rewrites tables that the chat wouldn't render: it requires an empty line before
// one, renders none in lists, and treats "\|" as the end of a cell. If a cell has that in
// code, the table is shown as code. It is idempotent.
func tables(text string) string { return tablesIn(text, maxQuotes) }

// maxQuotes is how deep in quotes tables are searched.
const maxQuotes = 8

func tablesIn(text string, quotes int) string {
	if !strings.Contains(text, "|") || !strings.Contains(text, "-") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	var out strings.Builder
	fence := ""
	for i := 0; i < len(lines); i++ {
		if fence == "" && quotes > 0 {
			if inner, after := quoteAt(lines, i); after > i {
				made := strings.Join(lines[i:after], "")
				if better := tablesIn(inner, quotes-1); better != inner {
					made = quoteLine.ReplaceAllString(better, "> $0")
				}
				out.WriteString(made)
				i = after - 1
				continue
			}
		}
		if m := fenceLine.FindStringSubmatch(lines[i]); m != nil {
			switch {
			case fence == "":
				fence = m[1]
			case strings.HasPrefix(m[1], fence):
				fence = ""
			}
		}
		end := 0
		if fence == "" {
			end = tableAt(lines, i)
		}
		if end == 0 {
			out.WriteString(lines[i])
			continue
		}
		rows, plain := make([]string, 0, end-i), false
		for _, line := range lines[i:end] {
			row := strings.TrimRight(line, " \t\r\n")
			if len(rows) == 0 {
				row = listMarker.ReplaceAllString(row, "")
			}
			row = strings.TrimLeft(row, " \t")
			plain = plain || codeWithBar.MatchString(row)
			rows = append(rows, row)
		}
		if so := out.String(); so != "" && !strings.HasSuffix(so, "\n\n") && strings.TrimSpace(so[strings.LastIndexByte(strings.TrimSuffix(so, "\n"), '\n')+1:]) != "" {
			out.WriteByte('\n')
		}
		made := strings.Join(rows, "\n")
		if plain {
			made = "```\n" + made + "\n```"
		} else {
			made = strings.ReplaceAll(made, `\|`, "&#124;")
		}
		out.WriteString(made)
		if strings.HasSuffix(lines[end-1], "\n") {
			out.WriteByte('\n')
		}
		i = end - 1
	}
	return out.String()
}

// quoteAt returns the content of a quote that starts at a line, and the line
// after it.
func quoteAt(lines []string, at int) (inner string, after int) {
	var said strings.Builder
	for after = at; after < len(lines); after++ {
		m := quoteMark.FindString(lines[after])
		if m == "" {
			break
		}
		said.WriteString(lines[after][len(m):])
	}
	return said.String(), after
}

// tableAt returns the end of a table whose first row is a line, 0 if none
// starts there.
func tableAt(lines []string, at int) int {
	if at+1 >= len(lines) {
		return 0
	}
	head, marks := strings.TrimSpace(lines[at]), strings.TrimSpace(lines[at+1])
	if !strings.Contains(head, "|") || !strings.Contains(marks, "|") && !strings.Contains(head, "|") || !delimiterRow.MatchString(marks) || strings.HasPrefix(head, ">") {
		return 0
	}
	head = listMarker.ReplaceAllString(head, "")
	if cells(head) != cells(marks) || indented(lines, at) {
		return 0
	}
	end := at + 2
	for end < len(lines) && strings.Contains(lines[end], "|") && !fenceLine.MatchString(lines[end]) && !listMarker.MatchString(lines[end]) {
		end++
	}
	return end
}

// cells counts the cells of a row.
func cells(row string) int {
	row = strings.ReplaceAll(row, `\|`, "")
	return strings.Count(strings.Trim(row, "|"), "|") + 1
}

// indented reports whether a line is an indented code block, and not in a list.
func indented(lines []string, at int) bool {
	indent := func(line string) int {
		return len(line) - len(strings.TrimLeft(strings.ReplaceAll(line, "\t", "    "), " "))
	}
	own := indent(lines[at])
	if own < 4 {
		return false
	}
	for at--; at >= 0; at-- {
		if line := lines[at]; strings.TrimSpace(line) != "" && indent(line) < own {
			return !listMarker.MatchString(line)
		}
	}
	return true
}
