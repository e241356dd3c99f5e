//go:build e2e

package e2e

import "syscall"

// endWithParent has the kernel end a process that this one leaves behind: a test
// binary that is stopped by its -timeout runs no cleanup.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
