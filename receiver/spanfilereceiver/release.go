package spanfilereceiver

const (
	// keptSize is the beginning of a file that is never released: it identifies the file.
	keptSize = 4096
	// releaseBlock is the unit of release; file systems use blocks of this size or divisors.
	releaseBlock = 4096
	// releaseStep is how much must have been delivered for a release while a file grows.
	releaseStep = 1 << 20
)

// release gives the disk space of what is delivered of f back; at rest, however little it is.
func (t *tailer) release(f *spanFile, delivered int64, rest bool) {
	if f.cannotPunch || f.away || !f.known || f.passedOver {
		return
	}
	if f.released < keptSize {
		// Holes of an earlier run are not released again.
		f.released = min(max(dataStart(f.handle, keptSize), keptSize), max(delivered, keptSize))
		f.released -= f.released % releaseBlock
	}
	to := delivered - delivered%releaseBlock
	if size := to - f.released; size <= 0 || size < releaseStep && !rest {
		return
	}
	if err := punchHole(f.path, f.id, f.released, to); err != nil {
		f.cannotPunch = true
		t.reports.once("cannot release disk space of span files", f.path, err)
		return
	}
	count(t.tel.ReceiverSpanFileBytesReleased, to-f.released, "")
	f.released = to
}
