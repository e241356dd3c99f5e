//go:generate mdatagen metadata.yaml

// Package spanfilereceiver reads spans from files that Python processes append
// to, as Ray Serve does: one file per process, console JSON, never rotated.
//
// One goroutine does all the work, a cycle at a time (tailer.poll):
//
//	scan    at most once a second: which files do the globs name? (discovery.go)
//	look    what became of each file that is due: grown, truncated, gone? (look.go)
//	round   one turn for each file with something to read: decode one batch
//	        and send it; again at once while there is more (turn.go, send.go)
//	tidy    close files at rest, give disk space back, update the metrics
//	save    at most once a second: the checkpoint (checkpoint.go)
//
// # At least once
//
// Each batch goes down the pipeline with a token of internal/delivery. The batch is
// delivered when everybody who holds its spans has let go of them, which may be long
// after ConsumeTraces has returned. A file's ledger knows the extents whose batches
// are under way, and those that were refused:
//
//	0 ────────── lowest ─────────────────────── offset ────────── size
//	 delivered      │ under way, refused, delivered │ not read yet
//
// The checkpoint holds lowest. A refused extent is read from the file again after
// a while; no copy of spans is kept, so memory stays constant whatever the backlog.
// Until then nothing behind it is read. A permanent error gives the batch up: it is
// counted and logged with its place. When the receiver has stopped, the last
// token to close saves the checkpoint once more.
//
// # Identity
//
// While the receiver runs a file is its device and inode. Inodes are used again
// and files are truncated, so at each change of size or time the first KiB is
// compared as well (fingerprint). Over restarts the fingerprint decides, with path
// and inode as tie-breaks; where it holds no span id, as in log files, which often
// begin alike, the inode must be the same, too. Where there is doubt, a file is read
// twice rather than not at all.
//
// # Ends
//
// A torn record at a file's end is waited for, without a descriptor once the file is
// idle. After a few seconds a whole record that stands inside of the torn one is read
// all the same: its writer came after the one that died, and died, too.
//
// A file that no path leads to any more is read to its end and then forgotten, but
// for its fingerprint and offset, which are remembered for a day (memory.go).
package spanfilereceiver
