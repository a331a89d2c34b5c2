package role

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/logfile"
)

// logs prints Parley's log.
func (p Program) logs(args []string) int {
	set := p.flags("parley logs", "parley logs [flags]\n\n"+
		"Prints the newest lines of Parley's log. Secrets are removed from it. The output of\n"+
		"crashes is in separate files, logs/crash-….log in the data folder.")
	data := set.String("data", "", "`folder` of Parley's data, instead of the usual one")
	follow := set.Bool("f", false, "keep printing new lines until interrupted")
	lines := set.Int("n", 200, "how many `lines`")
	if code, ok := parse(set, args, 0); !ok {
		return code
	}
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	if len(logfile.Paths(dirs.Data)) == 0 && !*follow {
		return p.fail(fault.New(fault.NotFound, "There is no log in %s.", filepath.Join(dirs.Data, logfile.Folder)))
	}
	var from int64
	path := filepath.Join(dirs.Data, logfile.Folder, logfile.Name)
	if info, err := os.Stat(path); err == nil {
		from = info.Size()
	}
	if err := logfile.Tail(dirs.Data, *lines, p.Stdout); err != nil {
		return p.fail(fault.Wrap(err, fault.Unavailable, "The log in %s cannot be read.", dirs.Data))
	}
	if !*follow {
		return exitOK
	}
	ctx, stop := untilSignal(slog.New(slog.DiscardHandler), nil)
	defer stop()
	if err := followed(ctx, path, from, p.Stdout); err != nil {
		return p.fail(err)
	}
	return exitOK
}

// followPause is how often the log is polled.
const followPause = 200 * time.Millisecond

// followed copies additions to a file after from, and to its replacement, until ctx ends.
func followed(ctx context.Context, path string, from int64, out io.Writer) error {
	ticks := time.NewTicker(followPause)
	defer ticks.Stop()
	var file *os.File
	defer func() {
		if file != nil {
			_ = file.Close()
		}
	}()
	for {
		if file == nil {
			opened, err := os.Open(path)
			switch {
			case err == nil:
				if _, err := opened.Seek(from, io.SeekStart); err != nil {
					return errors.Join(err, opened.Close())
				}
				file, from = opened, 0
			case !errors.Is(err, fs.ErrNotExist):
				return err
			}
		}
		if file != nil {
			// Check for a replacement first: nothing is added to this file after that.
			replaced := isReplaced(file, path)
			if _, err := io.Copy(out, file); err != nil {
				return err
			}
			if replaced {
				_ = file.Close()
				file = nil
				continue
			}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func isReplaced(file *os.File, path string) bool {
	mine, err := file.Stat()
	if err != nil {
		return true
	}
	there, err := os.Stat(path)
	return err == nil && !os.SameFile(mine, there)
}
