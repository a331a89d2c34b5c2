package desktop

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"parley/backend/fault"
)

func TestDialogsWithoutAWindow(t *testing.T) {
	var d Dialogs
	if _, err := d.PickFolder(t.Context(), ""); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("error = %v, want unavailable", err)
	}
}

func TestOneDialogAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Dialogs
		choose := make(chan string)
		d.attach(shown{
			folder: func(start string) (string, error) { return start + <-choose, nil },
			save:   func(name string) (string, error) { return "/saved/" + name, nil },
		})

		// The first caller gives up; the dialog stays open.
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := d.PickFolder(ctx, "/home")
			first <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want canceled", err)
		}
		if _, err := d.PickFolder(t.Context(), ""); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("error = %v, want conflict", err)
		}
		if _, err := d.SaveFile(t.Context(), "a.md"); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("error = %v, want conflict", err)
		}
		choose <- "/dropped"
		synctest.Wait()

		second := make(chan string, 1)
		go func() {
			path, err := d.PickFolder(t.Context(), "/home")
			if err != nil {
				t.Error(err)
			}
			second <- path
		}()
		choose <- "/chosen"
		if got := <-second; got != "/home/chosen" {
			t.Errorf("path = %q", got)
		}
		if path, err := d.SaveFile(t.Context(), "a.md"); err != nil || path != "/saved/a.md" {
			t.Errorf("%q %v", path, err)
		}
	})
}
