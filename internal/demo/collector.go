package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// errEnded is the cause when otelcol-serve ends well, but too early.
var errEnded = errors.New("nobody asked it to")

// collect runs the binary on its embedded configuration until the file out has
// the given number of lines, one a span, and then ends it as Ctrl-C would.
func collect(ctx context.Context, binary, folder, in, out string, spans int) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	args, err := settings(in, out, filepath.Join(folder, "checkpoints"))
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = folder
	cmd.Stdout = os.Stdout
	var logs bytes.Buffer
	cmd.Stderr = &logs
	cmd.WaitDelay = 10 * time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1) // Wait blocks, and the file has to be watched meanwhile.
	go func() { ended <- cmd.Wait() }()

	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for lines(out) < spans {
		select {
		case err := <-ended:
			return fmt.Errorf("otelcol-serve ended with %d of %d spans written: %w\n%s", lines(out), spans, cmp.Or(err, errEnded), logs.String())
		case <-tick.C:
		}
	}
	if err := cmd.Cancel(); err != nil {
		return err
	}
	return <-ended
}

// settings points the embedded configuration at the demo's folder and free ports.
func settings(in, out, checkpoints string) ([]string, error) {
	set := []string{
		"receivers::span_file::include=[" + filepath.Join(in, "*.json") + "]",
		"exporters::json_file::path=" + out,
		"extensions::file_storage::directory=" + checkpoints,
		"service::telemetry::metrics::level=none",
	}
	for _, key := range []string{
		"receivers::otlp::protocols::grpc::endpoint", "receivers::otlp::protocols::http::endpoint",
		"receivers::datadog::endpoint", "extensions::health_check::http::endpoint",
	} {
		address, err := freeAddress()
		if err != nil {
			return nil, err
		}
		set = append(set, key+"="+address)
	}
	var args []string
	for _, s := range set {
		args = append(args, "--set", s)
	}
	return args, nil
}

func freeAddress() (string, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "localhost:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

func lines(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0 // It is not there yet.
	}
	return bytes.Count(text, []byte("\n"))
}
