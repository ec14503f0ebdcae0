package socket

import (
	"syscall"
	"unsafe"
)

// poller is epoll(7). It tells of changes only, and of each once.
type poller struct {
	epoll, waker int
	events       [128]syscall.EpollEvent
}

// edgeTriggered is EPOLLET, which package syscall has as a negative number.
const edgeTriggered = 1 << 31

func (p *poller) open() (err error) {
	if p.epoll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return err
	}
	waker, _, no := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if no != 0 {
		syscall.Close(p.epoll)
		return no
	}
	p.waker = int(waker)
	if err = syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, p.waker, &syscall.EpollEvent{Events: syscall.EPOLLIN | edgeTriggered, Fd: -1}); err != nil {
		p.close()
	}
	return err
}

func (p *poller) close() {
	syscall.Close(p.epoll)
	syscall.Close(p.waker)
}

func (p *poller) add(fd uintptr, place, use int32) error {
	return syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, int(fd),
		&syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLOUT | syscall.EPOLLRDHUP | edgeTriggered, Fd: place, Pad: use})
}

// wake has a wait return.
func (p *poller) wake() {
	one := uint64(1)
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(p.waker), uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one))
}

// wait waits until there is something to tell, and returns how much. Other goroutines
// get the thread's processor meanwhile.
func (p *poller) wait(told []event) int {
	for {
		n, err := syscall.EpollWait(p.epoll, p.events[:min(len(p.events), len(told))], -1)
		if err == syscall.EINTR {
			continue
		}
		for i := range max(n, 0) {
			e := &p.events[i]
			var what readiness
			if e.Events&(syscall.EPOLLIN|syscall.EPOLLRDHUP|syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
				what |= readyRead
			}
			if e.Events&(syscall.EPOLLOUT|syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
				what |= readyWrite
			}
			if e.Events&(syscall.EPOLLRDHUP|syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
				what |= readyEnd
			}
			told[i] = event{place: e.Fd, use: e.Pad, what: what}
		}
		return max(n, 0)
	}
}
