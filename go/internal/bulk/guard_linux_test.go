package bulk

import (
	"bytes"
	"syscall"
	"testing"
)

// guarded returns size bytes that end where an inaccessible page begins, or
// that begin where such a page ends.
func guarded(t *testing.T, size int, atEnd bool) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	whole := (size + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, page+whole+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(memory) })
	for _, forbidden := range [][]byte{memory[:page], memory[page+whole:]} {
		if err := syscall.Mprotect(forbidden, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if atEnd {
		return memory[page+whole-size:][:size:size]
	}
	return memory[page:][:size:size]
}

// A read or write outside the slices ends the test with a fault.
func TestNothingOutsideTheSlicesIsTouched(t *testing.T) {
	eachLevel(t, nothingOutsideIsTouched)
}

func TestWidenAndNarrowTouchNothingOutside(t *testing.T) {
	const most = 600
	for _, atEnd := range []bool{false, true} {
		short, long := guarded(t, most, atEnd), guarded(t, 2*most, atEnd)
		for size := 0; size <= most; size += 4 {
			small, big := short[:size], long[:2*size]
			if atEnd {
				small, big = short[most-size:], long[2*(most-size):]
			}
			copy(small, random(size))
			want := bytes.Clone(small)
			Widen(big, small)
			clear(small)
			Narrow(small, big)
			if !bytes.Equal(small, want) {
				t.Fatalf("%d bytes, at the end %v: differ", size, atEnd)
			}
		}
	}
}

func nothingOutsideIsTouched(t *testing.T) {
	const most = 4096 + 160
	for _, atEnd := range []bool{false, true} {
		source, destination := guarded(t, most, atEnd), guarded(t, most, atEnd)
		copy(source, random(most))
		for _, width := range []int{2, 4, 8} {
			for size := 0; size <= most; size += width {
				if size > 600 && size < 4096 {
					continue
				}
				for shift := range width + 1 {
					if size+shift > most {
						break
					}
					// Unshifted, both touch the inaccessible page; shifted, the source does,
					// and the destination has other addresses.
					src, dst := source[:size], destination[shift:shift+size]
					if atEnd {
						src, dst = source[most-size:], destination[most-size-shift:most-shift]
					}
					Convert(dst, src, width)
					if !bytes.Equal(dst, converted(src, width)) {
						t.Fatalf("width %d, %d bytes, at the end %v, shifted by %d: differ", width, size, atEnd, shift)
					}
				}
			}
		}
	}
}
