package spanfilereceiver

import (
	"math"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// spanFile is one content of one inode. A truncated and rewritten file is another
// spanFile, with offsets of its own. All but the ledger belongs to the poll loop.
//
//	0 ≤ offset ≤ examined ≤ size
type spanFile struct {
	ledger // guarded by tailer.mu

	id     fileID
	path   string
	origin origin
	handle *os.File // nil when closed

	known    bool        // the head was read and the offset is decided
	head     fingerprint // of as much of the head as was there
	offset   int64       // the end of the last record that was read
	examined int64       // bytes behind offset and before it hold no whole record yet
	size     int64       // at the last look
	mtime    time.Time   // at the last look
	released int64       // below it the disk space was given back
	salvaged int64       // the size at which the torn end was searched for whole records

	atFirstStart bool // start_at and ignore_older hold for it
	passedOver   bool // part of it was not read, by start_at or ignore_older
	started      bool // the log says that reading began
	trouble      error
	warned       map[string]bool // reasons of skipped records that the log tells of
	cannotPunch  bool

	changed  time.Time // when it last grew
	nextLook time.Time // when its size is due to be looked at
	lastTurn time.Time // when it was last read

	seen    uint64 // the last scan that found its path or its alias
	alias   string // another path to the same inode, found by the scan aliasAt
	aliasAt uint64
	misses  int  // scans in a row that found no path to it
	away    bool // its path leads to nothing or to another file
}

// unread says that there are bytes nobody has looked at.
func (f *spanFile) unread() bool {
	return f.known && f.examined < f.size
}

// torn is the number of bytes at the end that are no whole record yet.
func (f *spanFile) torn() int64 {
	if f.unread() {
		return 0
	}
	return f.size - f.offset
}

// abandoned says that nobody goes on with the torn record at the end, so that it is
// time to see whether a whole one stands in it.
func (f *spanFile) abandoned(now time.Time) bool {
	return f.torn() > 0 && f.salvaged != f.size && f.idle(now) >= closeAfter
}

// idle is how long the file has not grown.
func (f *spanFile) idle(now time.Time) time.Duration {
	return now.Sub(f.changed)
}

// firstTime says once per reason that it is the first time.
func (f *spanFile) firstTime(reason string) bool {
	if f.warned[reason] {
		return false
	}
	if f.warned == nil {
		f.warned = make(map[string]bool)
	}
	f.warned[reason] = true
	return true
}

func (f *spanFile) name() string {
	return filepath.Base(f.path)
}

// open opens f if it is closed. At max_open_files another file is closed for it.
func (t *tailer) open(f *spanFile) error {
	if f.handle != nil {
		return nil
	}
	t.makeRoom()
	h, err := openRegular(f.path, f.id)
	if err != nil {
		return err
	}
	f.handle = h
	t.openFiles++
	return nil
}

// shut closes f. Nothing was written through the handle, so an error means nothing.
func (t *tailer) shut(f *spanFile) {
	if f.handle == nil {
		return
	}
	_ = f.handle.Close()
	f.handle = nil
	t.openFiles--
}

// openFilesBound is max_open_files where the process may have that many
// descriptors: half of them are left to listeners, exporters and storage.
func openFilesBound(configured int, limit uint64) int {
	return int(min(uint64(configured), max(limit/2, 1)))
}

// descriptorLimit is the number of descriptors that the process may have.
func descriptorLimit() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt64 // Not known: max_open_files stands.
	}
	return limit.Cur
}

// makeRoom closes the file read longest ago. Files that no path leads to go last,
// because nothing of them can be read afterwards.
func (t *tailer) makeRoom() {
	for t.openFiles >= t.maxOpen {
		var victim *spanFile
		for _, f := range t.files {
			if f.handle != nil && (victim == nil || closeBefore(f, victim)) {
				victim = f
			}
		}
		if victim == nil {
			return
		}
		t.shut(victim)
	}
}

func closeBefore(a, b *spanFile) bool {
	if a.away != b.away {
		return b.away
	}
	return a.lastTurn.Before(b.lastTurn)
}
