package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/backend/fault"
)

// Import describes another memory's folder in EARL's format, and what in it is new
// here.
type Import struct {
	// Files are the non-empty ones.
	Files []ImportFile
	// New and Known count the memories to import, and those that already exist here.
	// TooLong counts those over the limit.
	New, Known, TooLong int
	// Problems are sentences about what is skipped.
	Problems []string
}

// ImportFile is one file of it.
type ImportFile struct {
	Place
	New, Known int
}

// maxImport is how many files are imported at once.
const maxImport = 5000

// Preview returns what [Store.Import] would do.
func (s *Store) Preview(ctx context.Context, dir string) (Import, error) {
	return s.taking(ctx, dir, false)
}

// Import imports what is in a folder of EARL's format and not here yet. It can be
// repeated without duplicates. Neither existing memories nor the folder are changed.
func (s *Store) Import(ctx context.Context, dir string) (Import, error) {
	return s.taking(ctx, dir, true)
}

func (s *Store) taking(ctx context.Context, dir string, really bool) (Import, error) {
	var done Import
	root, err := os.OpenRoot(dir)
	if err != nil {
		return done, fault.Wrap(err, fault.NotFound, "The folder %s cannot be opened.", dir)
	}
	defer root.Close()
	if there, err := root.Stat("."); err == nil {
		if here, err := s.root.Stat("."); err == nil && os.SameFile(there, here) {
			return done, fault.New(fault.Invalid, "That is Parley's own memory. Choose the folder to import.")
		}
	}
	f, err := root.Open(".")
	if err != nil {
		return done, fault.Wrap(err, fault.NotFound, "The folder %s cannot be read.", dir)
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return done, fault.Wrap(err, fault.NotFound, "The folder %s cannot be read.", dir)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, d := range list {
		place, err := PlaceOf(d.Name())
		if err != nil || place.Workspace != "" {
			continue
		}
		if ctx.Err() != nil {
			return done, fault.Wrap(ctx.Err(), fault.Unavailable, "The import was stopped. You can start it again.")
		}
		if len(done.Files) >= maxImport {
			done.problem("There are more than %d files; the rest is left out.", maxImport)
			break
		}
		if err := s.takeOver(ctx, root, place, really, &done); err != nil {
			return done, err
		}
	}
	return done, nil
}

func (i *Import) problem(format string, args ...any) {
	if len(i.Problems) < maxProblems {
		i.Problems = append(i.Problems, fault.New(fault.Invalid, format, args...).Message)
	}
}

// takeOver imports one file.
func (s *Store) takeOver(ctx context.Context, root *os.Root, place Place, really bool, done *Import) error {
	name := place.Name()
	theirs, err := readForeign(root, name)
	if err != nil {
		done.problem("%s is left out: %s.", name, err)
		return nil
	}
	file := ImportFile{Place: place}
	tooLong := 0
	merge := func(old []byte) ([]byte, error) {
		file.New, file.Known, tooLong = 0, 0, 0
		next := merged(place, old, theirs, &file, &tooLong)
		if file.New == 0 {
			return old, nil
		}
		return next, nil
	}
	if really {
		err = s.exclusively(ctx, func() error { return s.rewrite(ctx, place, merge) })
	} else {
		var old []byte
		if old, err = s.read(name, MaxFile); errors.Is(err, fs.ErrNotExist) {
			old, err = nil, nil
		}
		if err == nil {
			var next []byte
			if next, err = merge(old); len(next) > MaxFile {
				done.problem("%s would be larger than %d KB, and is left out.", name, MaxFile>>10)
				return nil
			}
		}
	}
	if fault.CodeOf(err) == fault.TooLarge || fault.CodeOf(err) == fault.Conflict {
		done.problem("%s is left out: %s", name, fault.MessageOf(err))
		return nil
	}
	if err != nil {
		return s.unwritable(err)
	}
	if file.New+file.Known > 0 {
		done.Files = append(done.Files, file)
	}
	done.New, done.Known, done.TooLong = done.New+file.New, done.Known+file.Known, done.TooLong+tooLong
	return nil
}

var (
	errLink  = errors.New("it is not a regular file")
	errLarge = errors.New("it is too large")
	errRead  = errors.New("it cannot be read")
)

func readForeign(root *os.Root, name string) (string, error) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return "", errLink
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", errRead
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	switch {
	case err != nil:
		return "", errRead
	case len(data) > MaxFile:
		return "", errLarge
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}

// key identifies equal entries: time, subject and text.
func key(e Entry) string {
	if e.Kind != Daily {
		return tidy(e.Text)
	}
	clock := ""
	if e.Clock {
		clock = e.At.Format("15:04")
	}
	return clock + "\x00" + fold(e.About) + "\x00" + tidy(e.Text)
}

// merged adds to a file what only theirs has. A missing file is copied completely,
// except for the origin of its memories.
func merged(place Place, old []byte, theirs string, file *ImportFile, tooLong *int) []byte {
	have := map[string]int{}
	ours := parse(place, string(old), time.Time{})
	for _, e := range ours {
		have[key(e)]++
	}
	var fresh []Entry
	for _, e := range parse(place, theirs, time.Time{}) {
		switch k := key(e); {
		case have[k] > 0:
			have[k]--
			file.Known++
		case len(tidy(e.Text)) > MaxEntry && place.Kind == Daily:
			*tooLong++
		default:
			fresh = append(fresh, e)
			file.New++
		}
	}
	if place.Kind != Daily {
		return mergedText(old, theirs, fresh)
	}
	return interleaved(place, old, ours, fresh)
}

// interleaved puts each new entry before the first of ours that is later.
func interleaved(place Place, old []byte, ours, fresh []Entry) []byte {
	var out bytes.Buffer
	if len(old) == 0 {
		out.WriteString("# Memories for " + place.Day + "\n\n")
	}
	// Those without a time go last.
	slices.SortStableFunc(fresh, func(a, b Entry) int {
		if a.Clock != b.Clock {
			return map[bool]int{true: -1, false: 1}[a.Clock]
		}
		return a.At.Compare(b.At)
	})
	from := 0
	put := func(to int) {
		out.Write(old[from:to])
		from = to
		if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
			out.WriteByte('\n')
		}
	}
	for _, e := range fresh {
		to := len(old)
		if i := slices.IndexFunc(ours, func(o Entry) bool { return e.Clock && o.Clock && o.At.After(e.At) && o.start >= from }); i >= 0 {
			to = ours[i].start
		}
		put(to)
		if e.Clock {
			out.WriteString(block(e.At, e.About, tidy(e.Text), importedID(place, e), Origin{By: "earl"}))
		} else {
			out.WriteString("- " + strings.ReplaceAll(tidy(e.Text), "\n", "\n  ") + "\n")
		}
	}
	put(len(old))
	return out.Bytes()
}

// importedID is deterministic for a memory, whenever it is imported.
func importedID(place Place, e Entry) string {
	sum := sha256.Sum256([]byte(place.Name() + "\x00" + key(e)))
	return "e" + hex.EncodeToString(sum[:6])
}

// mergedText merges people's texts: a missing file is copied; otherwise the missing
// paragraphs are appended.
func mergedText(old []byte, theirs string, fresh []Entry) []byte {
	if len(bytes.TrimSpace(old)) == 0 {
		return []byte(strings.TrimRight(theirs, "\n") + "\n")
	}
	var b bytes.Buffer
	b.Write(bytes.TrimRight(old, "\n"))
	b.WriteString("\n")
	for _, e := range fresh {
		b.WriteString("\n" + strings.TrimRight(e.raw, "\r\n") + "\n")
	}
	return b.Bytes()
}
