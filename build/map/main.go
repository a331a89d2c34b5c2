// Command map draws Parley's packages and their imports as a picture for the README:
//
//	go run ./build/map
//
// Packages below one room (backend/chat/relay/post, for example) are drawn as that room, and an
// arrow that follows from others is left out. Its test fails if the picture is outdated.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module  = "parley"
	picture = "build/pictures/packages.svg"
)

func main() {
	log.SetFlags(0)
	svg, err := draw(".")
	if err == nil {
		err = os.WriteFile(filepath.FromSlash(picture), svg, 0o644) //nolint:gosec // it is a picture for all
	}
	if err != nil {
		log.Fatal(err)
	}
}

// draw returns the picture of the module at root.
func draw(root string) ([]byte, error) {
	imports, err := list(root)
	if err != nil {
		return nil, err
	}
	for name := range imports {
		if imports.reaches(name, name, map[string]bool{}) {
			return nil, fmt.Errorf("%s stands on itself, by way of others", name)
		}
	}
	return paint(reduce(imports)), nil
}

// graph maps a room to the rooms that it imports.
type graph map[string][]string

var (
	// tools only build, test or measure, and are left out.
	tools = []string{"app/bench", "app/border", "app/tsgen", "backend/need", "build"}
	// apart are drawn as separate rooms: they are below rooms that their parent depends on.
	apart = []string{"backend/claude/history", "backend/claude/transcript", "backend/claude/wire", "backend/heartbeat/plan"}
)

// room is the room of a package, "" for a package that is not drawn.
func room(path string) string {
	path = strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
	if path == "" {
		return "main"
	}
	if slices.Contains(apart, path) {
		return path
	}
	parts := strings.SplitN(path, "/", 3)
	name := strings.Join(parts[:min(2, len(parts))], "/")
	if name == "backend" || slices.Contains(tools, name) || slices.Contains(tools, parts[0]) {
		return ""
	}
	return name
}

// list reads the imports of the shipped packages.
func list(root string) (graph, error) {
	cmd := exec.Command("go", "list", "-tags=desktop,production,webkit2_41", "-json=ImportPath,Imports", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	g := graph{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return g, nil
		} else if err != nil {
			return nil, err
		}
		from := room(p.ImportPath)
		if from == "" || strings.HasSuffix(p.ImportPath, "test") {
			continue
		}
		g[from] = append(g[from], nil...)
		for _, path := range p.Imports {
			if path != module && !strings.HasPrefix(path, module+"/") {
				continue
			}
			if to := room(path); to != "" && to != from && !slices.Contains(g[from], to) {
				g[from] = append(g[from], to)
			}
		}
	}
}

// reaches reports whether a path leads from one room to another, avoiding those seen.
func (g graph) reaches(from, to string, seen map[string]bool) bool {
	for _, next := range g[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if g.reaches(next, to, seen) {
				return true
			}
		}
	}
	return false
}

// reduce leaves out the arrows that follow from others.
func reduce(g graph) graph {
	out := graph{}
	for from, all := range g {
		out[from] = []string{}
		for _, to := range all {
			if !slices.ContainsFunc(all, func(other string) bool { return other != to && g.reaches(other, to, map[string]bool{}) }) {
				out[from] = append(out[from], to)
			}
		}
		slices.Sort(out[from])
	}
	return out
}

// floor is the length of the longest import chain below a room.
func (g graph) floor(of string) int {
	below := 0
	for _, to := range g[of] {
		below = max(below, 1+g.floor(to))
	}
	return below
}

const (
	width, boxHeight, rowGap, gap, letter = 1200, 26, 40, 10, 7
)

type box struct{ x, y, w int }

// paint draws importing rooms above imported ones.
func paint(g graph) []byte {
	var floors [][]string
	for name := range g {
		for len(floors) <= g.floor(name) {
			floors = append(floors, nil)
		}
		floors[g.floor(name)] = append(floors[g.floor(name)], name)
	}
	boxes := map[string]box{}
	y := gap
	for _, names := range slices.Backward(floors) {
		slices.Sort(names)
		for len(names) > 0 {
			row, used := 0, 0
			for row < len(names) && (row == 0 || used+letter*len(names[row])+3*gap <= width-gap) {
				used += letter*len(names[row]) + 3*gap
				row++
			}
			x := (width - used + gap) / 2
			for _, name := range names[:row] {
				boxes[name] = box{x, y, letter*len(name) + 2*gap}
				x += boxes[name].w + gap
			}
			names = names[row:]
			y += boxHeight + gap
		}
		y += rowGap
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, monospace" font-size="11">`+"\n", width, y-rowGap)
	b.WriteString("<style>rect{fill:#f6f5f2;stroke:#8a8780}.app rect{fill:#e6e5fb;stroke:#5856b0}text{fill:#222}path{fill:none;stroke:#8a8780;stroke-opacity:.45}</style>\n")
	b.WriteString(`<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>` + "\n")
	names := []string{}
	for name := range g {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, from := range names {
		for _, to := range g[from] {
			a, z := boxes[from], boxes[to]
			x1, y1, x2, y2 := a.x+a.w/2, a.y+boxHeight, z.x+z.w/2, z.y
			fmt.Fprintf(&b, `<path d="M%d %dC%d %d %d %d %d %d"/>`+"\n", x1, y1, x1, y1+rowGap, x2, y2-rowGap, x2, y2)
		}
	}
	for _, name := range names {
		at, class := boxes[name], "backend"
		if !strings.HasPrefix(name, "backend/") {
			class = "app"
		}
		fmt.Fprintf(&b, `<g class="%s"><rect x="%d" y="%d" width="%d" height="%d" rx="5"/><text x="%d" y="%d" text-anchor="middle">%s</text></g>`+"\n",
			class, at.x, at.y, at.w, boxHeight, at.x+at.w/2, at.y+17, html.EscapeString(name))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
