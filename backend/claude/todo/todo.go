// Package todo reads the to-do list that the CLI keeps for a conversation: one
// small JSON file per item, in <config>/tasks/<conversation>. The files belong
// to the CLI and may be written while they are read, broken, or someone else's;
// the list has what could be read. The package keeps nothing, starts no
// goroutine, and knows nothing of sessions.
package todo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/backend/platform/safeopen"
	"parley/backend/truncate"
)

const (
	// maxItems bounds a list, maxFile one file of it, and maxText one of its texts.
	maxItems = 500
	maxFile  = 64 << 10
	maxText  = 4 << 10
)

// States of an item, as the CLI writes them.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
)

// Item is one to-do item.
type Item struct {
	// ID counts from 1 within the list.
	ID      string
	Subject string
	// Doing is the subject as an activity ("Running the tests"), or "".
	Doing string
	// About is a longer description, or "".
	About string
	// State is [Pending], [InProgress] or [Completed].
	State string
	// Owner is the agent working on it, or "".
	Owner string
	// BlockedBy are the ids of items that must be done first.
	BlockedBy []string
}

// List is a to-do list in the order of creation.
type List struct {
	Items []Item
	// Unread counts files that couldn't be understood, and those beyond the limit of
	// a list.
	Unread int
}

// Read reads the list in a folder. A missing folder is an empty list.
func Read(dir string) (List, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return List{}, nil
	}
	if err != nil {
		return List{}, fmt.Errorf("open the list of things to do: %w", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return List{}, fmt.Errorf("read the list of things to do: %w", err)
	}
	var list List
	numbers := make([]int, 0, min(len(names), maxItems))
	for _, name := range names {
		stem, ok := strings.CutSuffix(name, ".json")
		if n, err := strconv.Atoi(stem); ok && err == nil && n >= 0 && strconv.Itoa(n) == stem {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	if more := len(numbers) - maxItems; more > 0 {
		list.Unread, numbers = more, numbers[more:]
	}
	for _, n := range numbers {
		item, err := readItem(filepath.Join(dir, strconv.Itoa(n)+".json"))
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was removed in the meantime
		case err != nil:
			list.Unread++
		default:
			list.Items = append(list.Items, item)
		}
	}
	return list, nil
}

func readItem(path string) (Item, error) {
	// The CLI creates no links; one could lead anywhere.
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return Item{}, errors.New("no file of the CLI's")
	}
	raw, err := safeopen.Read(path, maxFile)
	if err != nil {
		return Item{}, err
	}
	return Decode(raw)
}

// Decode decodes one item. An unknown state counts as pending.
func Decode(raw []byte) (Item, error) {
	var v struct {
		ID          string   `json:"id"`
		Subject     string   `json:"subject"`
		ActiveForm  string   `json:"activeForm"`
		Description string   `json:"description"`
		Status      string   `json:"status"`
		Owner       string   `json:"owner"`
		BlockedBy   []string `json:"blockedBy"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return Item{}, fmt.Errorf("decode a thing to do: %w", err)
	}
	if v.ID == "" || strings.TrimSpace(v.Subject) == "" {
		return Item{}, errors.New("decode a thing to do: it has no id or no subject")
	}
	if v.Status != InProgress && v.Status != Completed {
		v.Status = Pending
	}
	if len(v.BlockedBy) > maxItems {
		v.BlockedBy = v.BlockedBy[:maxItems]
	}
	return Item{
		ID: truncate.Bytes(v.ID, maxText), Subject: truncate.Bytes(v.Subject, maxText), Doing: truncate.Bytes(v.ActiveForm, maxText), About: truncate.Bytes(v.Description, maxText),
		State: v.Status, Owner: truncate.Bytes(v.Owner, maxText), BlockedBy: v.BlockedBy,
	}, nil
}
