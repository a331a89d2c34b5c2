package post

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Split splits markdown into parts of at most limit characters, between blocks if
// possible. A code block that is too long is closed and reopened, with its language; a
// table repeats its header. There is at least one part.
func Split(markdown string, limit int) []string {
	pieces := split(markdown, limit)
	parts := make([]string, len(pieces))
	for i, p := range pieces {
		parts[i] = p.open + p.body + p.close
	}
	return parts
}

// piece is a part of a text: its content, and what was added around it.
type piece struct{ open, body, close string }

// least is the limit below which nothing is repeated at the start of a part.
const least = 200

func split(markdown string, limit int) []piece {
	limit = max(limit, 1)
	rest := strings.ToValidUTF8(markdown, "\uFFFD")
	open := ""
	var pieces []piece
	for {
		src := open + rest
		if utf8.RuneCountInString(src) <= limit {
			if p := finish(open, rest, limit); p.close != "" || utf8.RuneCountInString(seal(src)) <= limit {
				return append(pieces, p)
			}
		}
		c := choose(src, len(open), limit)
		pieces = append(pieces, finish(open, src[len(open):c.at], limit))
		if c.nested {
			rest = unnest(src, c.at)
		} else {
			rest = src[c.at:]
		}
		open = c.open
		if open == "" && !c.code {
			rest = strings.TrimLeft(rest, " \t\r\n")
		}
		if strings.TrimSpace(rest) == "" {
			return pieces
		}
	}
}

// finish finishes a part: trailing white space is removed, and an open code block is
// closed if there is room.
func finish(open, body string, limit int) piece {
	p := piece{open: open, body: body}
	bare := strings.TrimSuffix(open+body, "\n")
	if sealed := seal(bare); len(sealed) > len(bare) {
		if utf8.RuneCountInString(sealed) <= limit {
			p.body, p.close = strings.TrimSuffix(body, "\n"), sealed[len(bare):]
		}
		return p
	}
	p.body = strings.TrimRight(body, " \t\r\n")
	return p
}

// cut is a possible split position.
type cut struct {
	// at is its offset. cost is its penalty.
	at, cost int
	// close is added to the end of the part before, open to the start of the part
	// after.
	close, open string
	// nested is true in a code block in a list or a quote.
	nested bool
	// code is true if leading white space in the next part matters.
	code bool
}

// The cost of a split before a line. Leaving a part empty costs up to blank.
const (
	costBetween = 0 // two blocks
	costNested  = 15
	costTable   = 40
	costText    = 50
	costCode    = 60
	costUnknown = 70
	costBlank   = 80
	costWhole   = 200 // something that would fit into one part
	costNever   = 400
	costInLine  = 90 // in addition to the line's own
)

// choose finds the best split position of a text whose first from bytes repeat the
// previous part. It is after those.
func choose(src string, from, limit int) cut {
	most := fit(src, limit)
	window := src[:firstRunes(src, 2*limit+least)]
	lines := survey(window, limit)
	best, score := cut{}, costNever
	used := 0
	for i, c := range lines {
		if i > 0 {
			used += utf8.RuneCountInString(src[lines[i-1].at:c.at])
		}
		if c.at > most {
			break
		}
		if c.at <= from || used+len(c.close)+1 > limit {
			continue
		}
		if s := c.cost + costBlank*(limit-used)/limit; s <= score {
			best, score = c, s
		}
	}
	i := sort.Search(len(lines), func(i int) bool { return lines[i].at > most }) - 1
	in := lines[max(i, 0)]
	if best.at > 0 && score <= in.cost+costInLine {
		return best
	}
	return within(src, from, limit, in)
}

// within splits a line.
func within(src string, from, limit int, line cut) cut {
	c := line
	if limit < least || len(c.close)+len(c.open) > limit/2 {
		c.close, c.open = "", ""
	}
	at := fit(src, limit-len(c.close))
	if at <= from {
		// There is only room for one character.
		c.close, c.open = "", ""
		at = max(fit(src, limit), from+fit(src[from:], 1))
	}
	if !c.code {
		// A space right after the split would not be visible.
		if space := strings.LastIndexAny(src[:min(at+1, len(src))], " \t\n"); space > from && space > at-(at-from)/3 {
			at = min(space+1, at)
		}
	}
	c.at = at
	return c
}

// survey returns the cost of a split before each line of a text.
func survey(text string, limit int) []cut {
	src := []byte(text)
	s := &surveyor{src: src, limit: limit}
	for at := 0; at < len(src); at = lineEnd(src, at) {
		s.lines = append(s.lines, cut{at: at, cost: costUnknown})
	}
	s.known = make([]bool, len(s.lines))
	if !heavy(text) {
		s.walk(parse(src), 0)
	}
	return s.lines
}

type surveyor struct {
	src   []byte
	limit int
	lines []cut
	known []bool
}

// line returns the number of an offset's line.
func (s *surveyor) line(at int) int {
	return max(sort.Search(len(s.lines), func(i int) bool { return s.lines[i].at > at })-1, 0)
}

// set sets the cost of a split before a line, unless an outer block has set it.
func (s *surveyor) set(line, cost int, change func(*cut)) {
	if line < 0 || line >= len(s.lines) || s.known[line] {
		return
	}
	s.known[line] = true
	s.lines[line].cost = cost
	if change != nil {
		change(&s.lines[line])
	}
}

func (s *surveyor) walk(n ast.Node, depth int) {
	for b := n.FirstChild(); b != nil; b = b.NextSibling() {
		if b.Type() != ast.TypeBlock || b.Pos() < 0 {
			continue
		}
		first := s.line(b.Pos())
		cost := costBetween + costNested*depth
		if before := b.PreviousSibling(); before != nil && before.Kind() == ast.KindHeading {
			cost += costText // a heading belongs to what follows it
		}
		s.set(first, cost, func(c *cut) { c.code = b.Kind() == ast.KindCodeBlock })
		switch b := b.(type) {
		case *ast.FencedCodeBlock:
			s.fence(b)
		case *extast.Table:
			s.table(b)
		case *ast.CodeBlock:
			s.rest(b, first, costCode, true)
		case *ast.Heading:
			s.rest(b, first, costNever, false)
			if next := s.line(lineEnd(s.src, b.Pos())); next > first && b.NextSibling() != nil && s.line(b.NextSibling().Pos()) > next {
				s.set(next, costNever, nil) // its underline
			}
		default:
			if b.Lines() != nil && b.Lines().Len() > 0 {
				s.rest(b, first, costText+costNested*depth, false)
			}
			s.walk(b, depth+1)
		}
	}
}

// rest sets the cost of a block's lines after the first.
func (s *surveyor) rest(b ast.Node, first, cost int, code bool) {
	lines := b.Lines()
	for i := range lines.Len() {
		if at := s.line(lines.At(i).Start); at > first {
			s.set(at, cost, func(c *cut) { c.code = code })
		}
	}
}

// fits reports whether a block would fit into its own part.
func (s *surveyor) fits(from, to int) bool {
	return utf8.RuneCount(s.src[from:to])+least/4 <= s.limit
}

func (s *surveyor) fence(b *ast.FencedCodeBlock) {
	f := fenceOf(s.src, b)
	if f.mark == "" {
		return
	}
	cost := costCode
	if s.fits(f.open, f.after) {
		cost = costWhole
	}
	again := cut{close: "\n" + f.mark, nested: f.nested, open: f.mark + f.info + "\n", code: true}
	if len(again.open) > s.limit/4 {
		again.open = f.mark + "\n"
	}
	if s.limit < least || len(again.open) > s.limit/4 {
		again.open, again.close = "", ""
	}
	if f.nested {
		again.close = "" // the end of its container ends it
	}
	opener := s.line(f.open)
	s.lines[opener].close, s.lines[opener].open, s.lines[opener].code = "", "", false
	lines := b.Lines()
	for i := range lines.Len() {
		at := s.line(lines.At(i).Start)
		price := cost
		if i == 0 {
			price = costNever - 1
		}
		s.set(at, price, func(c *cut) {
			c.close, c.open, c.code = again.close, again.open, true
			c.nested = f.nested && again.open != ""
		})
	}
	if f.closed {
		s.set(s.line(f.end), costNever, func(c *cut) { c.code = true })
	}
}

// unnest returns what follows a split in a code block in a list or a quote, without the
// container's prefixes, because the container isn't repeated.
func unnest(text string, at int) string {
	src := []byte(text)
	rest := text[at:]
	_ = ast.Walk(parse(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		b, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		f := fenceOf(src, b)
		if at < f.begin || at >= f.after || f.mark == "" {
			return ast.WalkContinue, nil
		}
		var out strings.Builder
		for i := range b.Lines().Len() {
			line := b.Lines().At(i)
			switch {
			case line.Start >= at:
				out.Write(line.Value(src))
			case line.Stop > at:
				out.Write(src[at:line.Stop])
			}
		}
		if !strings.HasSuffix(out.String(), "\n") {
			out.WriteByte('\n')
		}
		out.WriteString(f.mark + "\n")
		out.Write(src[f.after:])
		rest = out.String()
		return ast.WalkStop, nil
	})
	return rest
}

func (s *surveyor) table(b *extast.Table) {
	head := b.FirstChild()
	if head == nil || head.NextSibling() == nil {
		return
	}
	from := lineStart(s.src, b.Pos())
	body := lineStart(s.src, head.NextSibling().Pos())
	to := lineEnd(s.src, b.LastChild().Pos())
	cost := costTable
	if s.fits(from, to) {
		cost = costWhole
	}
	again := string(s.src[from:body])
	if s.limit < least || len(again) > s.limit/4 || b.Parent().Kind() != ast.KindDocument {
		again = ""
	}
	for at := lineEnd(s.src, from); at < to; at = lineEnd(s.src, at) {
		price := cost
		if at <= body {
			price = costNever
		}
		s.set(s.line(at), price, func(c *cut) { c.open, c.code = again, again != "" })
	}
}

// fit returns the length of the longest prefix of a text with at most n characters that
// splits no grapheme cluster. It includes at least one.
func fit(text string, n int) int {
	// Most of it can't be split: only the end needs close inspection.
	at := firstRunes(text, n)
	if at == len(text) {
		return at
	}
	from := at
	for range 64 {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
		if from == 0 || size == 1 && text[from] < utf8.RuneSelf {
			break
		}
	}
	last, state := from, -1
	for last < len(text) {
		cluster, _, _, next := uniseg.FirstGraphemeClusterInString(text[last:], state)
		if last+len(cluster) > at {
			break
		}
		last, state = last+len(cluster), next
	}
	if last == 0 {
		return firstRunes(text, max(n, 1))
	}
	return last
}

// firstRunes returns the offset after the first n characters of a text, or its
// length.
func firstRunes(text string, n int) int {
	for i := range text {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(text)
}
