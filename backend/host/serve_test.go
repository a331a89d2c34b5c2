//go:build linux

package host

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/backend/host/child"
)

// wire is a host in this process, with the frames to and from it.
type wire struct {
	t      testing.TB
	conn   net.Conn
	frames decoder
	served chan error
	over   bool // a frame of kindOver was read
}

func serve(t testing.TB) *wire { return serveWithin(t, attachWait) }

func serveWithin(t testing.TB, attachWait time.Duration) *wire {
	t.Helper()
	own, other, err := pair()
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]net.Conn
	for i, file := range []*os.File{own, other} {
		if ends[i], err = net.FileConn(file); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	w := &wire{t: t, conn: ends[0], frames: decoder{r: ends[0]}, served: make(chan error, 1)}
	dir := t.TempDir()
	go func() { w.served <- serveFor(ends[1], dir, attachWait) }()
	t.Cleanup(func() { _ = w.conn.Close() })
	return w
}

// end returns how the host describes the end of the connection.
func (w *wire) end() error {
	w.t.Helper()
	select {
	case err := <-w.served:
		return err
	case <-time.After(patience):
		w.t.Fatal("the host does not end")
		return nil
	}
}

func (w *wire) send(k kind, id uint64, parts ...[]byte) {
	w.t.Helper()
	if _, err := w.conn.Write(encode(nil, k, id, parts...)); err != nil {
		w.t.Error(err)
	}
}

func (w *wire) sendText(k kind, id uint64, v any) {
	w.t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	w.send(k, id, body)
}

// hears returns the next frame of a kind, after any number of frames of the kinds that
// may come in between.
func (w *wire) hears(k kind, between ...kind) frame {
	w.t.Helper()
	_ = w.conn.SetReadDeadline(time.Now().Add(patience))
	for {
		f, err := w.frames.next()
		if err != nil {
			w.t.Fatalf("instead of a frame of kind %d: %v", k, err)
		}
		w.over = w.over || f.kind == kindOver
		if f.kind == k {
			return f
		}
		if !strings.ContainsRune(string(kinds(between)), rune(f.kind)) {
			w.t.Fatalf("a frame of kind %d: %q", f.kind, f.body)
		}
	}
}

func kinds(list []kind) (out []rune) {
	for _, k := range list {
		out = append(out, rune(k))
	}
	return out
}

func (w *wire) hello() (said greeting) {
	w.t.Helper()
	w.sendText(kindHello, 0, greeting{Version: version, Oldest: oldest})
	if err := w.hears(kindWelcome).text(&said); err != nil {
		w.t.Fatal(err)
	}
	return said
}

// starts starts a script as program 1, and grants it a window.
func (w *wire) starts(script string) (said startedBody) {
	w.t.Helper()
	w.sendText(kindStart, 1, shell(script))
	if err := w.hears(kindStarted).text(&said); err != nil || said.Err != "" {
		w.t.Fatal(err, said.Err)
	}
	w.send(kindTaken, 1, numbers(0, window))
	return said
}

// prints returns that many bytes of program 1's output from an offset.
func (w *wire) prints(from uint64, bytes int, between ...kind) string {
	w.t.Helper()
	var all []byte
	for len(all) < bytes {
		f := w.hears(kindOutput, between...)
		if at := f.number(0); f.id != 1 || at != from+uint64(len(all)) {
			w.t.Fatalf("output at %d, want %d", at, from+uint64(len(all)))
		}
		all = append(all, f.body[number:]...)
	}
	return string(all)
}

// A protocol violation ends the connection, and with it everything.
func TestRulesAreKept(t *testing.T) {
	for name, tt := range map[string]struct {
		broken func(w *wire)
		first  bool // before hello
	}{
		"no hello":            {func(w *wire) { w.sendText(kindStart, 1, shell("echo")) }, true},
		"not a frame":         {func(w *wire) { _, _ = w.conn.Write([]byte("GET / HTTP/1.1\r\n\r\n")) }, true},
		"a hello that is not": {func(w *wire) { w.send(kindHello, 0, []byte("[]")) }, true},
		"newer than known": {func(w *wire) {
			w.sendText(kindHello, 0, greeting{Version: version + 2, Oldest: version + 1})
			w.hears(kindWelcome) // it is told what would be supported
			w.sendText(kindStart, 1, shell("echo"))
		}, true},
		"older than known": {func(w *wire) {
			w.sendText(kindHello, 0, greeting{})
			w.sendText(kindStart, 1, shell("echo"))
		}, true},
		"a second hello":           {func(w *wire) { w.sendText(kindHello, 0, greeting{Version: 1, Oldest: 1}) }, false},
		"a frame of the host's":    {func(w *wire) { w.send(kindOutput, 1, numbers(0), []byte("x")) }, false},
		"nobody's":                 {func(w *wire) { w.send(kindInput, 2, numbers(1), []byte("x")) }, false},
		"the same program":         {func(w *wire) { w.sendText(kindStart, 1, shell("echo")) }, false},
		"an unknown signal":        {func(w *wire) { w.send(kindSignal, 1, []byte{9}) }, false},
		"more than was sent":       {func(w *wire) { w.send(kindTaken, 1, numbers(1<<40, 1<<41)) }, false},
		"a window that is closed":  {func(w *wire) { w.send(kindTaken, 1, numbers(5, 3)) }, false},
		"a window that is endless": {func(w *wire) { w.send(kindTaken, 1, numbers(0, 1<<60)) }, false},
		"input out of order":       {func(w *wire) { w.send(kindInput, 1, numbers(2), []byte("x")) }, false},
		"forgets what runs":        {func(w *wire) { w.send(kindForget, 1) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := serve(t)
			pid := 0
			if !tt.first {
				w.hello()
				pid = w.starts("exec sleep 600").PID
			}
			tt.broken(w)
			if err := w.end(); err == nil {
				t.Error("the host took it")
			}
			if pid != 0 {
				gonePID(t, pid)
			}
		})
	}
}

// A partial frame is an end like any other.
func TestEndInTheMiddle(t *testing.T) {
	w := serve(t)
	w.hello()
	pid := w.starts("exec sleep 600").PID
	if _, err := w.conn.Write(encode(nil, kindInput, 1, numbers(1), []byte("half"))[:12]); err != nil {
		t.Fatal(err)
	}
	_ = w.conn.Close()
	if err := w.end(); err != nil {
		t.Error(err)
	}
	gonePID(t, pid)
}

// An attaching side gets everything unacknowledged, no input is written twice, and no end
// is missed. The program notices nothing.
func TestAttach(t *testing.T) {
	w := serve(t)
	if said := w.hello(); len(said.Programs) > 0 {
		t.Errorf("%+v", said)
	}
	pid := w.starts(`while read -r text; do echo "got $text"; done; echo end >&2; exit 5`).PID
	input := func(n uint64, text string) { w.send(kindInput, 1, numbers(n), []byte(text)) }
	input(1, "one\n")
	w.hears(kindWritten, kindOutput)
	input(2, "two\nthr") // a partial line
	w.hears(kindWritten, kindOutput)
	w.send(kindDetach, 0)
	w.hears(kindDetached, kindOutput)

	said := w.hello()
	if len(said.Programs) != 1 || said.Programs[0] != (programState{ID: 1, PID: pid, Written: 2}) {
		t.Fatalf("%+v", said)
	}
	w.send(kindTaken, 1, numbers(0, window))
	if got := w.prints(0, len("got one\ngot two\n")); got != "got one\ngot two\n" {
		t.Errorf("%q", got)
	}
	w.send(kindTaken, 1, numbers(8, window))
	input(2, "two\nthr") // it may not have been received
	if f := w.hears(kindWritten); f.number(0) != 2 || f.body[number] != 1 {
		t.Errorf("%+v", f)
	}
	input(3, "ee\n")
	w.hears(kindWritten, kindOutput)
	w.send(kindDetach, 0)
	w.hears(kindDetached, kindOutput)

	// It ends while nobody is attached.
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	said = w.hello()
	if said.Programs[0].Taken != 8 || said.Programs[0].Written != 3 {
		t.Errorf("%+v", said)
	}
	w.send(kindHangUp, 1)
	w.send(kindDetach, 0)
	w.hears(kindDetached, kindEnded, kindOver)
	gonePID(t, pid)
	_ = process.Release()

	w.over = false
	w.hello()
	var exit child.Exit
	if err := w.hears(kindEnded).text(&exit); err != nil || exit != (child.Exit{Code: 5}) {
		t.Errorf("%+v %v", exit, err)
	}
	w.send(kindTaken, 1, numbers(8, window))
	const rest = "got two\ngot three\n"
	if got := w.prints(8, len(rest), kindOver); got != rest {
		t.Errorf("%q", got)
	}
	if !w.over { // only then may it be forgotten
		w.hears(kindOver)
	}
	w.send(kindForget, 1)
	w.send(kindDetach, 0)
	w.hears(kindDetached)
	if said := w.hello(); len(said.Programs) > 0 {
		t.Errorf("%+v", said)
	}
	_ = w.conn.Close()
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

// A program's output while nobody is attached doesn't block, and nothing of it is lost:
// it is in the file.
func TestFloodWhileNobodyIsThere(t *testing.T) {
	w := serve(t)
	w.hello()
	const size = memoryKept + 5<<20
	said := w.starts(`read -r go; head -c 13631488 /dev/zero | tr '\0' x; echo done >&2; read -r end`)
	w.send(kindInput, 1, numbers(1), []byte("go\n"))
	w.hears(kindWritten, kindOutput)
	w.send(kindDetach, 0)
	w.hears(kindDetached, kindOutput)
	// It couldn't wait for the end of its input if its output had no room.
	deadline := time.Now().Add(patience)
	for reads(said.PID) && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	w.hello()
	w.send(kindTaken, 1, numbers(0, size))
	if got := w.prints(0, size); strings.Trim(got, "x") != "" {
		t.Error("it is not what was printed")
	}
	_ = w.conn.Close()
	if err := w.end(); err != nil {
		t.Error(err)
	}
}

// reads reports whether a shell has children, which print.
func reads(pid int) bool {
	children, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(pid) + "/children")
	return err == nil && len(children) > 0
}

// A host whose output nobody reads ends.
func TestNobodyListens(t *testing.T) {
	w := serve(t)
	w.hello()
	w.starts(`exec cat`)
	_ = w.conn.SetWriteDeadline(time.Now().Add(patience))
	for {
		// Each requests an answer, and none is read.
		if _, err := w.conn.Write(encode(nil, kindInput, 1, numbers(0), []byte("x"))); err != nil {
			if os.IsTimeout(err) {
				t.Error("it takes no more, and does not end")
			}
			break
		}
	}
	if err := w.end(); !errors.Is(err, errProtocol) {
		t.Error(err)
	}
}
