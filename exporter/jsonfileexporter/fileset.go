package jsonfileexporter

import (
	"container/list"
	"errors"
	"sync"
)

// fileSet holds the files that are open or were used last. Its methods may be
// called concurrently; shutdown closes what is in it.
type fileSet struct {
	settings *settings
	max      int

	mu     sync.Mutex // guards everything declared below, and users of each file
	files  map[string]*list.Element
	recent *list.List // of *spanFile, the one used last in front
	done   bool
}

func newFileSet(s *settings, maxOpen int) *fileSet {
	return &fileSet{settings: s, max: maxOpen, files: map[string]*list.Element{}, recent: list.New()}
}

// use calls with on the file at this location, which stays in the set until with returns.
func (s *fileSet) use(at location, with func(*spanFile) error) error {
	file, err := s.acquire(at)
	if err != nil {
		return err
	}
	defer s.release(file)
	return with(file)
}

func (s *fileSet) acquire(at location) (*spanFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return nil, errShutDown
	}
	element, ok := s.files[at.name]
	if ok {
		s.recent.MoveToFront(element)
	} else {
		element = s.recent.PushFront(newSpanFile(s.settings, at))
		s.files[at.name] = element
	}
	file := element.Value.(*spanFile)
	file.users++
	return file, nil
}

// release lets the set close file, and closes those used longest ago while there are
// too many. It does so inside mu: the next push to such a file would otherwise find
// the lock that the closing one still has.
func (s *fileSet) release(file *spanFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file.users--
	for element := s.recent.Back(); element != nil && s.recent.Len() > s.max; {
		oldest, newer := element.Value.(*spanFile), element.Prev()
		if oldest.users == 0 {
			_ = oldest.shutdown() // whoever wrote to it has its result already
			s.recent.Remove(element)
			delete(s.files, oldest.at.name)
		}
		element = newer
	}
}

// locations of the files in the set.
func (s *fileSet) locations() []location {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []location
	for element := s.recent.Front(); element != nil; element = element.Next() {
		all = append(all, element.Value.(*spanFile).at)
	}
	return all
}

// shutdown closes all files; later pushes are refused.
func (s *fileSet) shutdown() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	var errs error
	for element := s.recent.Front(); element != nil; element = element.Next() {
		errs = errors.Join(errs, element.Value.(*spanFile).shutdown())
	}
	return errs
}
