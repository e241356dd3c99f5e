package launch

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// resendInterval is how long the end of a collector is put off at most by a signal
// that came before it was listening.
const resendInterval = 100 * time.Millisecond

// keepSignals keeps a signal that comes while the collector starts from killing the
// process, and hands it to the collector, which listens for signals only once it has
// started and does not tell when. So the goroutine sends the signal again until release is
// called. A context that the signal cancels would not do: components such as
// Datadog's exporter end with the context that they were made with, before the drain.
func keepSignals() (release func()) {
	kept := make(chan os.Signal, 1)
	signal.Notify(kept, os.Interrupt, syscall.SIGTERM) // for good: the last one sent may still be on its way
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var early os.Signal
		select {
		case early = <-kept:
		case <-done:
			return
		}
		tick := time.NewTicker(resendInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = syscall.Kill(os.Getpid(), early.(syscall.Signal)) // a process may always signal itself
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
