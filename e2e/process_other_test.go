//go:build e2e && !linux

package e2e

import "syscall"

// endWithParent has no equivalent outside of Linux.
func endWithParent() *syscall.SysProcAttr { return nil }
