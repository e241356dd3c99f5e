// Command demo shows what otelcol-serve does with a recorded Ray Serve run: it
// copies the run's span files to a temporary folder, starts the binary on the
// embedded configuration, waits for the spans, and prints what came out. It
// fails unless every span came out.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	binary := flag.String("binary", "bin/otelcol-serve", "the otelcol-serve to start")
	recording := flag.String("recording", "testdata/ray-2.60", "a recorded Ray Serve run")
	flag.Parse()
	if err := run(*binary, *recording); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(binary, recording string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	folder, err := os.MkdirTemp("", "otelcol-serve-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)

	in, out := filepath.Join(folder, "spans"), filepath.Join(folder, "out", "spans.json")
	if err := os.CopyFS(in, os.DirFS(filepath.Join(recording, "spans"))); err != nil {
		return fmt.Errorf("copy the recording: %w", err)
	}
	want, err := readSpans(filepath.Join(in, "*.json"))
	if err != nil {
		return err
	}
	fmt.Printf("1. A Ray Serve run wrote %d span files with %d spans to %s\n", want.files, len(want.spans), in)
	fmt.Print("2. otelcol-serve tails them and writes spans to a file:\n\n")
	if err := collect(ctx, binary, folder, in, out, len(want.spans)); err != nil {
		return err
	}
	got, err := readSpans(out)
	if err != nil {
		return err
	}
	fmt.Printf("\n3. Out came %d spans of %d traces, from %d processes. One of the traces:\n\n",
		len(got.spans), len(got.traces()), len(got.processes()))
	got.printTree(os.Stdout, got.showcase())
	if missing := want.missingIn(got); len(missing) > 0 {
		return fmt.Errorf("%d of %d spans did not come out, the first is %s", len(missing), len(want.spans), missing[0])
	}
	fmt.Printf("\nEvery one of the %d spans came out.\n", len(want.spans))
	return nil
}
